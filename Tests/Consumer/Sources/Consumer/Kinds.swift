/// One listener of each kind of type; those with an isolation check that they are called in it.
import Mediator

public struct StructListener: LifecycleListener {
  let calls: Calls
  public init(calls: Calls) { self.calls = calls }

  public func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    await Task.yield()
    calls.add(name, transition)
  }
  public func willTerminate(_ transition: LifecycleTransition) { calls.add(name, transition) }
}

public final class ClassListener: LifecycleListener {
  public let name = "a class with a name of its own"
  let calls: Calls
  public init(calls: Calls) { self.calls = calls }

  public func didFinishLaunching(_ transition: LifecycleTransition) throws { calls.add(name, transition) }
  public func willTerminate(_ transition: LifecycleTransition) { calls.add(name, transition) }
}

@MainActor
public final class MainActorListener: LifecycleListener {
  let calls: Calls
  /// State of the main actor's.
  public private(set) var told = 0
  public init(calls: Calls) { self.calls = calls }

  public func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    MainActor.assertIsolated()
    told += 1
    calls.add(name, transition)
  }

  public func willTerminate(_ transition: LifecycleTransition) async throws {
    MainActor.assertIsolated()
    told += 1
    calls.add(name, transition)
  }
}

public actor ActorListener: LifecycleListener {
  let calls: Calls
  public private(set) var told = 0
  public init(calls: Calls) { self.calls = calls }

  public func didFinishLaunching(_ transition: LifecycleTransition) {
    assertIsolated()
    told += 1
    calls.add(name, transition)
  }

  public func willTerminate(_ transition: LifecycleTransition) {
    assertIsolated()
    told += 1
    calls.add(name, transition)
  }
}
