/// An observer's promise to finish later; the transition waits for it.
///
/// The first of `complete()` and `fail(_:)` counts. A deferral that is released without either is taken as completed
/// and reported as a fault.
public final class LifecycleDeferral: Sendable {
  public let name: String
  private let transition: LifecycleTransition
  private let isOpen = Locked(true)

  init(name: String, transition: LifecycleTransition) {
    self.name = name
    self.transition = transition
  }

  public func complete() {
    if close() { transition.leave(failures: []) }
  }

  /// Ends the promise with an error, which counts as the failure of an optional listener of this name.
  public func fail(_ error: any Error) {
    guard close() else { return }
    transition.leave(failures: [
      ListenerFailure(listener: name, event: transition.event, isRequired: false, error: error)
    ])
  }

  deinit {
    guard close() else { return }
    transition.report(.deferralReleased(name: name, event: transition.event))
    transition.leave(failures: [])
  }

  private func close() -> Bool {
    isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
  }
}
