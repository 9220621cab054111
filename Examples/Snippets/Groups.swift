/// Entries with a policy in common, told one after the other or all at once; groups are entries, so they nest.
import Mediator

struct WarmUp: LifecycleListener {
  let name: String
  let fill: @Sendable () async throws -> Void
  func didFinishLaunching(_ transition: LifecycleTransition) async throws { try await fill() }
}

@ListenerBuilder
func listenersInGroups(_ fill: @escaping @Sendable (String) async throws -> Void) -> [ListenerEntry] {
  Database()
  // All at once; each event may take five seconds for all of them together.
  Concurrently("caches") {
    WarmUp(name: "users") { try await fill("users") }
    WarmUp(name: "prices") { try await fill("prices") }
    WarmUp(name: "pictures") { try await fill("pictures") }.optional()
  }.required(timeout: .seconds(5))
  // In order; when the first one fails the second is not started, and the service goes on without both.
  Group("search") {
    WarmUp(name: "index") { try await fill("index") }
    WarmUp(name: "suggestions") { try await fill("suggestions") }
  }.optional()
}
