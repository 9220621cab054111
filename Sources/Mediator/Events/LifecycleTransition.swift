/// One event on its way to everybody who listens: which, why, who asked, and what it waits for.
///
/// A class, because NotificationCenter carries it by identity in `userInfo`.
public final class LifecycleTransition: Sendable {
  /// Where a notification's `userInfo` holds the transition.
  public static let userInfoKey = "LifecycleTransition"

  public let event: LifecycleEvent
  public let reason: LifecycleReason
  public let origin: LifecycleOrigin
  /// Grows by one with each transition of the process's lifecycle; 0 for one that somebody else posted.
  public let serial: UInt64

  private struct Progress {
    /// The post itself and each deferral or mediator that has not finished.
    var open = 1
    var isPosting = true
    var isCancelled = false
    var failures: [ListenerFailure] = []
    var cancellation: [@Sendable () -> Void] = []
    var completion: (@Sendable (TransitionOutcome) -> Void)?
  }

  private let progress: Locked<Progress>
  private let reports: ReportHub?

  package init(
    event: LifecycleEvent, reason: LifecycleReason, origin: LifecycleOrigin, serial: UInt64 = 0,
    reports: ReportHub? = nil, completion: (@Sendable (TransitionOutcome) -> Void)? = nil
  ) {
    self.event = event
    self.reason = reason
    self.origin = origin
    self.serial = serial
    self.reports = reports
    progress = Locked(Progress(completion: completion))
  }

  /// Makes the transition wait for work that goes on after the observer's block has returned.
  ///
  /// Only inside the post, synchronously in the observer's block; nil, and a report, once the post has returned.
  public func takeDeferral(_ name: String) -> LifecycleDeferral? {
    if join() { return LifecycleDeferral(name: name, transition: self) }
    report(.deferralTooLate(name: name, event: event))
    return nil
  }

  /// Enters somebody whom the transition waits for until `leave`; false once the post has returned.
  package func join() -> Bool {
    progress.withLock { progress in
      guard progress.isPosting else { return false }
      progress.open += 1
      return true
    }
  }

  package func leave(failures: [ListenerFailure]) {
    settle { $0.failures += failures }
  }

  /// The post has returned: from now on only what joined in time is waited for.
  package func endPost() {
    settle { $0.isPosting = false }
  }

  private func settle(_ change: (inout Progress) -> Void) {
    let finished: (@Sendable () -> Void)? = progress.withLock { progress in
      change(&progress)
      progress.open -= 1
      guard progress.open == 0, let completion = progress.completion else { return nil }
      let outcome = TransitionOutcome(failures: progress.failures, wasCancelled: progress.isCancelled)
      progress.completion = nil
      progress.cancellation = []
      return { completion(outcome) }
    }
    finished?()
  }

  package var isCancelled: Bool { progress.withLock(\.isCancelled) }

  /// Asks whoever works on this transition to stop; it still waits for them to return.
  package func cancel() {
    let handlers = progress.withLock { progress in
      progress.isCancelled = true
      defer { progress.cancellation = [] }
      return progress.cancellation
    }
    for handler in handlers { handler() }
  }

  /// Calls the handler when the transition is cancelled, at once if it was already.
  package func onCancel(_ handler: @escaping @Sendable () -> Void) {
    let isCancelled = progress.withLock { progress in
      if !progress.isCancelled { progress.cancellation.append(handler) }
      return progress.isCancelled
    }
    if isCancelled { handler() }
  }

  package func report(_ report: LifecycleReport) { reports?.send(report) }
}
