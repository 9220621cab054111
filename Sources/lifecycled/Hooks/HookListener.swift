internal import Mediator

/// One hook as a listener of the lifecycle; a reload may put another definition in its place.
final class HookListener: LifecycleListener {
  private struct State {
    var hook: HookDefinition
    /// Whether it was told of the foreground and of no background since, but a reload's.
    var isInForeground = false
    var wasInForeground = false
    /// From a start that succeeded to the stop.
    var isUp = false
  }

  let name: String
  private let runner: HookRunner
  private let state: Locked<State>

  init(_ hook: HookDefinition, runner: HookRunner) {
    name = hook.title
    self.runner = runner
    state = Locked(State(hook: hook))
  }

  var entry: ListenerEntry {
    state.withLock(\.hook.isRequired) ? required() : optional()
  }

  /// What happens from now on; runs nothing.
  func replace(by hook: HookDefinition) { state.withLock { $0.hook = hook } }

  var definition: HookDefinition { state.withLock(\.hook) }
  var isUp: Bool { state.withLock(\.isUp) }

  func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    try await run(.start, transition.reason)
    state.withLock { $0.isUp = true }
  }

  func didBecomeActive(_ transition: LifecycleTransition) async throws {
    let isFirst = state.withLock { state in
      defer { (state.isInForeground, state.wasInForeground) = (true, true) }
      return !state.wasInForeground
    }
    // A hook that is new in a reload comes to the foreground for the first time: that is its start.
    try await run(.foreground, isFirst && transition.reason == .reload ? .start : transition.reason)
  }

  func didEnterBackground(_ transition: LifecycleTransition) async throws {
    if transition.reason != .reload { state.withLock { $0.isInForeground = false } }
    try await run(.background, transition.reason)
  }

  func willTerminate(_ transition: LifecycleTransition) async throws {
    let owesBackground = state.withLock { state in
      defer { (state.isInForeground, state.isUp) = (false, false) }
      return state.isInForeground
    }
    guard owesBackground else { return try await run(.stop, transition.reason) }
    // Removed by a reload, or a stop in the middle of one: the background of that reload was not for good.
    var failure: (any Error)?
    do {
      try await run(.background, .stop)
    } catch {
      failure = error
    }
    try await run(.stop, transition.reason)
    if let failure { throw failure }
  }

  private func run(_ event: HookEvent, _ reason: LifecycleReason) async throws {
    let hook = state.withLock(\.hook)
    guard let reason = HookReason(rawValue: reason.rawValue), hook.runs(on: event, reason: reason) else { return }
    try await runner.run(hook, on: event, reason: reason)
  }
}
