/// Listeners that are made when launching begins, in order, out of what others have put into the context.
import Mediator

/// A key says the type, and what the value is when nobody has set it.
let workerCount = ContextKey("shop.worker-count", default: 4)

struct Workers: LifecycleListener {
  let count: Int
  func didFinishLaunching(_ transition: LifecycleTransition) async throws {}  // begin so many
}

struct CommandLineOptions: LifecycleListener {}

@ListenerBuilder
func listenersMadeLate() -> [ListenerEntry] {
  ListenerEntry.factory("options") { context in
    if let place = context.start.arguments.firstIndex(of: "--workers") {
      guard let count = context.start.arguments.dropFirst(place + 1).first.flatMap({ Int($0) }), count > 0 else {
        throw LifecycleError(.listenerFailed, message: "--workers needs a number")  // fails the start: 69
      }
      context[workerCount] = count
    }
    return CommandLineOptions()
  }
  ListenerEntry.factory("workers") { context in Workers(count: context[workerCount]) }
}

/// Each listener is handed the same context with every transition.
struct Startup: LifecycleListener {
  let told: @Sendable (String) -> Void
  func didFinishLaunching(_ transition: LifecycleTransition) {
    let start = transition.context.start
    told("\(start.cause.rawValue), sockets: \(start.sockets.keys.sorted().joined(separator: " "))")
  }
}
