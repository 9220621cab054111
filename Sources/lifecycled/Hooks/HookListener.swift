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
    var turn = EarlyTurn()
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
    state.withLock({ $0.hook.isRequired }) ? required() : optional()
  }

  /// What happens from now on; runs nothing.
  func replace(by hook: HookDefinition) { state.withLock { $0.hook = hook } }

  var definition: HookDefinition { state.withLock { $0.hook } }
  var isUp: Bool { state.withLock({ $0.isUp }) }

  func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    if let arrival = state.withLock({ $0.turn.takeArrival() }) { return try arrival.get() }
    try await start(transition.reason)
  }

  private func start(_ reason: LifecycleReason) async throws {
    try await run(.start, reason)
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
    if !state.withLock({ $0.turn.hasLeft }) { try await stop(transition.reason) }
  }

  private func stop(_ reason: LifecycleReason) async throws {
    let owesBackground = state.withLock { state in
      defer { (state.isInForeground, state.isUp) = (false, false) }
      return state.isInForeground
    }
    guard owesBackground else { return try await run(.stop, reason) }
    // Removed by a reload, or a stop in the middle of one: the background of that reload was not for good.
    var failure: (any Error)?
    do {
      try await run(.background, .stop)
    } catch {
      failure = error
    }
    try await run(.stop, reason)
    if let failure { throw failure }
  }

  // MARK: The turn of a reload

  func arrive(_ transition: LifecycleTransition) async throws {
    do {
      try await start(.start)
      state.withLock { $0.turn.arrival = .success(()) }
    } catch {
      state.withLock { $0.turn.arrival = .failure(error) }
      throw error
    }
  }

  func leave() async throws {
    state.withLock { $0.turn.hasLeft = true }
    try await stop(.stop)
  }

  func comeBack() async throws {
    state.withLock { ($0.turn.hasLeft, $0.wasInForeground) = (false, false) }
    try await start(.start)
  }

  private func run(_ event: HookEvent, _ reason: LifecycleReason) async throws {
    let hook = state.withLock { $0.hook }
    guard let reason = HookReason(rawValue: reason.rawValue), let event = hook.event(for: event, reason: reason)
    else { return }
    try await runner.run(hook, on: event, reason: reason)
  }
}
