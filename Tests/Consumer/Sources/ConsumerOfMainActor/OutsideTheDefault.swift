/// Listeners that say nothing of isolation: they are Sendable, so they are not the main actor's.
public import Consumer
public import Mediator

public struct StructByDefault: ReloadListener, SynchronousListener {
  let calls: Calls
  public init(calls: Calls) { self.calls = calls }

  public func handle(_ transition: LifecycleTransition) { calls.add(name, transition) }
  public func prepareReload(_ transition: LifecycleTransition) async throws { calls.add(name, transition) }
  public func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws { calls.add(name, transition) }
  public func revertReload(_ transition: LifecycleTransition) async throws { calls.add(name, transition) }
}

public actor ActorByDefault: MemoryPressureListener {
  let calls: Calls
  public init(calls: Calls) { self.calls = calls }

  public func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws {
    assertIsolated()
    calls.add(name, transition)
  }
}
