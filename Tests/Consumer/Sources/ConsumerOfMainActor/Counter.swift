/// A listener in a module where everything is the main actor's unless it says otherwise. A listener is Sendable, and
/// Swift leaves such types out of that default: so it has to say `@MainActor` all the same.
public import Mediator

@MainActor
public final class Counter: LifecycleListener {
  public private(set) var told: [String] = []

  public init() {}

  public func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    MainActor.assertIsolated()
    told.append(transition.event.rawValue)
  }

  public func willTerminate(_ transition: LifecycleTransition) async throws {
    MainActor.assertIsolated()
    told.append(transition.event.rawValue)
  }
}
