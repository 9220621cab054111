/// A synchronous listener of each kind of type: what has an isolation is told outside it, since nothing can wait.
import Mediator

public struct SynchronousStruct: SynchronousListener {
  let calls: Calls
  public init(calls: Calls) { self.calls = calls }
  public func handle(_ transition: LifecycleTransition) { calls.add(name, transition) }
}

/// Its abilities are told as ever.
public final class SynchronousClass: SynchronousListener, MemoryPressureListener {
  let calls: Calls
  public init(calls: Calls) { self.calls = calls }
  public func handle(_ transition: LifecycleTransition) { calls.add(name, transition) }
  public func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws {
    calls.add(name, transition)
  }
}

public actor SynchronousActor: SynchronousListener {
  let calls: Calls
  public init(calls: Calls) { self.calls = calls }
  nonisolated public func handle(_ transition: LifecycleTransition) { calls.add(name, transition) }
}

@MainActor
public final class SynchronousOnMainActor: SynchronousListener {
  let calls: Calls
  public init(calls: Calls) { self.calls = calls }
  nonisolated public func handle(_ transition: LifecycleTransition) { calls.add(name, transition) }
}
