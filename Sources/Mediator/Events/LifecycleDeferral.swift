/// An observer's promise to finish later; the transition waits for it.
///
/// The first of `complete()` and `fail(_:)` counts. A deferral that is released without either is taken as completed
/// and reported as a fault.
public final class LifecycleDeferral: Sendable {
  /// How reports and failures call the promise.
  public let name: String
  private let transition: LifecycleTransition
  private struct State {
    var isOpen = true
    var isAbandoned = false
    var abandoned: [@Sendable () -> Void] = []
  }
  private let state = Locked(State())

  init(name: String, transition: LifecycleTransition) {
    self.name = name
    self.transition = transition
  }

  /// Keeps the promise: the transition need not wait for it any longer.
  public func complete() {
    if close() { transition.leave(failures: []) }
  }

  /// Ends the promise with an error, which counts as the failure of an optional listener of this name.
  public func fail(_ error: any Error) {
    guard close() else { return }
    leave(with: ListenerFailure(listener: name, event: transition.event, isRequired: false, error: error))
  }

  /// Calls the handler when the time is over, or a stop is hastened or cuts the transition short; at once if so.
  ///
  /// Whoever has not finished then is left behind when the time is over, as timed out.
  public func whenAbandoned(_ handler: @escaping @Sendable () -> Void) {
    let isAbandoned = state.withLock { state in
      if !state.isAbandoned { state.abandoned.append(handler) }
      return state.isAbandoned
    }
    if isAbandoned { handler() }
  }

  func apply(_ control: LifecycleTransition.Control) {
    let handlers = state.withLock { state in
      state.isAbandoned = true
      defer { state.abandoned = [] }
      return state.isOpen ? state.abandoned : []
    }
    // Elsewhere: this is the loop.
    if !handlers.isEmpty { Task.detached { for handler in handlers { handler() } } }
    guard control == .passOver || control == .abandon, close() else { return }
    leave(with: .timeout(name, transition.event, isRequired: false))
  }

  private func leave(with failure: ListenerFailure) {
    transition.report(.listenerFailed(failure))
    transition.leave(failures: [failure])
  }

  deinit {
    guard close() else { return }
    transition.report(.deferralReleased(name: name, event: transition.event))
    transition.leave(failures: [])
  }

  private func close() -> Bool {
    state.withLock { state in
      defer {
        state.isOpen = false
        state.abandoned = []
      }
      return state.isOpen
    }
  }
}
