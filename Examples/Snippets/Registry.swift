/// Listeners that a file chooses: [{"id": "database", "timeout": 5}, {"id": "metrics", "required": false}, "Shop.Mailer"]
import Foundation
import Mediator
import MediatorBridge

/// Shared with whoever needs it: whoever makes listeners puts it into the context, or takes it from there.
let databaseURL = ContextKey("shop.database-url", default: "postgres:///shop")

struct Store: LifecycleListener {
  let url: String
  func didFinishLaunching(_ transition: LifecycleTransition) async throws {}  // connect
}

/// In a module `Shop` the file may name it as `Shop.Mailer`, without anybody registering it.
final class Mailer: ListenerRegistry.Constructible {
  init(context: LifecycleContext) throws {}
}

func bridge(listedIn file: URL) throws(LifecycleError) -> LifecycleBridge {
  var registry = ListenerRegistry()
  try registry.register("database") { context in Store(url: context[databaseURL]) }
  try registry.register("metrics") { _ in Metrics() }
  let entries = try registry.entries(contentsOf: file)  // the error names each fault with file, line and entry
  return try LifecycleBridge { entries }
}
