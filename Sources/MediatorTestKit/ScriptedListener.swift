public import Mediator

/// A listener that does what a test tells it to: a neighbour that fails, is slow or does not return.
///
/// What it was told is in `LifecycleDriver.events`. A listener of your own that has abilities follows a script, too,
/// when it calls `play(_:)`; `ScriptedReloadListener` is one.
public final class ScriptedListener: LifecycleListener {
  public let name: String
  private let scripts: Locked<[LifecycleEvent: [Step]]>

  /// Makes a listener that succeeds in what it has no script for.
  ///
  /// - Parameters:
  ///   - name: what events, errors and STATUS call it.
  ///   - scripts: what it does each time when it is told of an event.
  public init(_ name: String, _ scripts: [LifecycleEvent: Step] = [:]) {
    self.name = name
    self.scripts = Locked(scripts.mapValues { [$0] })
  }

  /// Says what it does from now on when it is told of an event.
  ///
  /// - Parameters:
  ///   - event: what it is told.
  ///   - steps: one for each time; the last one stays. Without any it succeeds.
  public func on(_ event: LifecycleEvent, _ steps: Step...) { scripts.withLock { $0[event] = steps } }

  /// Does what the script has for an event, for instance in the `answer` of a `RequestListener` of your own.
  ///
  /// - Throws: what the step says, or `CancellationError`.
  public func play(_ event: LifecycleEvent) async throws {
    let step: Step? = scripts.withLock { scripts in
      guard let steps = scripts[event], let step = steps.first else { return nil }
      if steps.count > 1 { scripts[event]?.removeFirst() }
      return step
    }
    try await step?.play()
  }

  public func willFinishLaunching(_ transition: LifecycleTransition) async throws { try await play(transition.event) }
  public func didFinishLaunching(_ transition: LifecycleTransition) async throws { try await play(transition.event) }
  public func willEnterForeground(_ transition: LifecycleTransition) async throws { try await play(transition.event) }
  public func didBecomeActive(_ transition: LifecycleTransition) async throws { try await play(transition.event) }
  public func willResignActive(_ transition: LifecycleTransition) async throws { try await play(transition.event) }
  public func didEnterBackground(_ transition: LifecycleTransition) async throws { try await play(transition.event) }
  public func willTerminate(_ transition: LifecycleTransition) async throws { try await play(transition.event) }
}
