public import Mediator

/// A scripted listener that takes part in reloads: a neighbour that refuses one, or is slow in it.
public final class ScriptedReloadListener: ReloadListener {
  /// What it does; `script.on(_:_:)` changes it.
  public let script: ScriptedListener

  /// Makes a listener that succeeds in what it has no script for.
  ///
  /// - Parameters:
  ///   - name: what events, errors and STATUS call it.
  ///   - scripts: what it does each time when it is told of an event.
  public init(_ name: String, _ scripts: [LifecycleEvent: ScriptedListener.Step] = [:]) {
    script = ScriptedListener(name, scripts)
  }

  public var name: String { script.name }

  public func prepareReload(_ transition: LifecycleTransition) async throws { try await script.play(transition.event) }
  public func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws {
    try await script.play(transition.event)
  }
  public func revertReload(_ transition: LifecycleTransition) async throws { try await script.play(transition.event) }

  public func willFinishLaunching(_ transition: LifecycleTransition) async throws {
    try await script.play(transition.event)
  }
  public func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    try await script.play(transition.event)
  }
  public func willEnterForeground(_ transition: LifecycleTransition) async throws {
    try await script.play(transition.event)
  }
  public func didBecomeActive(_ transition: LifecycleTransition) async throws {
    try await script.play(transition.event)
  }
  public func willResignActive(_ transition: LifecycleTransition) async throws {
    try await script.play(transition.event)
  }
  public func didEnterBackground(_ transition: LifecycleTransition) async throws {
    try await script.play(transition.event)
  }
  public func willTerminate(_ transition: LifecycleTransition) async throws { try await script.play(transition.event) }
}
