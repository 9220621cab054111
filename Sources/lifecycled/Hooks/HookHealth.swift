internal import Mediator

/// The health check of one hook: runs the hook's commands again and again, and answers at once with what came of it.
///
/// A listener of its own, so that hooks without a check cost no timer. The runs begin with the first question, which
/// comes with READY, and end with the stop. Until its first run has ended, or taken longer than `TimeoutSec=`, a hook
/// counts as well; so does one whose start has failed, since it was said then.
final class HookHealth: HealthChecking {
  private struct State {
    /// Grows with each definition: what an older one's run says does not count.
    var number: UInt64 = 0
    var hook: HookDefinition?
    var reason = HookReason.start
    var failure: LifecycleError?
    /// When the run under way began.
    var began: ContinuousClock.Instant?
    var runs: Task<Void, Never>?
    var isOver = false
  }

  let name: String
  private let listener: HookListener
  private let runner: HookRunner
  private let log: EventLog
  private let state = Locked(State())

  /// - Parameter listener: the hook's, which knows its definition.
  init(of listener: HookListener, runner: HookRunner, log: EventLog) {
    name = listener.name
    self.listener = listener
    self.runner = runner
    self.log = log
  }

  var entry: ListenerEntry { listener.definition.isRequired ? required() : optional() }

  func checkHealth() async throws {
    if let failure = answer(.now) { throw failure }
  }

  /// The hook's definition is another: a run of the old one ends, and those of the new one begin.
  func definitionChanged() {
    if state.withLock({ $0.runs != nil && !$0.isOver }) { begin() }
  }

  /// Ends the run under way, and does not wait for its end.
  func end() {
    let runs = state.withLock { state in
      state.isOver = true
      return state.runs
    }
    runs?.cancel()
  }

  // MARK: What it is told as a listener

  func didBecomeActive(_ transition: LifecycleTransition) async throws { note(transition.reason) }

  func didEnterBackground(_ transition: LifecycleTransition) async throws { note(transition.reason) }

  func willTerminate(_ transition: LifecycleTransition) async throws { end() }

  private func note(_ reason: LifecycleReason) {
    guard let reason = HookReason(rawValue: reason.rawValue) else { return }
    state.withLock { $0.reason = reason }
  }

  // MARK: Runs

  private func answer(_ now: ContinuousClock.Instant) -> LifecycleError? {
    guard listener.isUp else { return nil }
    let (isNew, failure) = state.withLock { state in
      (state.runs == nil && !state.isOver, Self.overdue(state, now) ?? state.failure)
    }
    if isNew { begin() }
    return failure
  }

  /// A run that is wedged is told of in time, also when it takes its while to be killed.
  private static func overdue(_ state: State, _ now: ContinuousClock.Instant) -> LifecycleError? {
    guard let hook = state.hook, let began = state.began, let limit = hook.timeout.duration else { return nil }
    guard began.duration(to: now) > limit else { return nil }
    return LifecycleError(.listenerFailed, listener: hook.title, message: "timed out after \(hook.timeout)")
  }

  private func begin() {
    let hook = listener.definition
    state.withLock { state in
      let (earlier, number) = (state.runs, state.number + 1)
      state.number = number
      (state.hook, state.failure, state.began) = (hook, nil, nil)
      earlier?.cancel()
      state.runs = Task.detached(executorPreference: FirstThread.executor) { [self] in
        // Never two runs of one hook at once.
        await earlier?.value
        await runAgainAndAgain(hook, number)
      }
    }
  }

  private func runAgainAndAgain(_ hook: HookDefinition, _ number: UInt64) async {
    while !Task.isCancelled {
      let began = ContinuousClock.now
      let reason = state.withLock { state in
        if state.number == number { state.began = began }
        return state.reason
      }
      var failure: LifecycleError?
      do throws(LifecycleError) {
        try await runner.run(hook, on: .health, reason: reason)
      } catch {
        failure = error
      }
      if Task.isCancelled { return }
      ended(failure, number)
      try? await FirstThread.sleep(until: began + (hook.interval.duration ?? .zero))
    }
  }

  private func ended(_ failure: LifecycleError?, _ number: UInt64) {
    let (hasChanged, isWellAgain) = state.withLock { state in
      guard state.number == number else { return (false, false) }
      defer { (state.failure, state.began) = (failure, nil) }
      return ((state.failure == nil) != (failure == nil), state.failure != nil && failure == nil)
    }
    if hasChanged { runner.healthChanged(of: name) }
    if isWellAgain { log.log(.notice, "\(name) is well again") }
  }
}
