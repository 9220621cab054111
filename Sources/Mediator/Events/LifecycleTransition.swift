/// One event on its way to everybody who listens: which, why, who asked, and what it waits for.
///
/// A class, because NotificationCenter carries it by identity in `userInfo`.
public final class LifecycleTransition: Sendable {
  /// Where a notification's `userInfo` holds the transition.
  public static let userInfoKey = "LifecycleTransition"

  /// What happens.
  public let event: LifecycleEvent
  /// Why the service is on its way, or where it is.
  public let reason: LifecycleReason
  /// Who asked for it.
  public let origin: LifecycleOrigin
  /// Grows by one with each transition of the process's lifecycle; 0 for one that somebody else posted.
  public let serial: UInt64
  /// When what it belongs to, a start, a reload or a stop, runs out of time; nil without a limit.
  public let deadline: ContinuousClock.Instant?
  /// What the lifecycle's listeners share.
  public let context: LifecycleContext
  package let detail: TransitionDetail
  /// It is a part of a start, reload or stop, whose time counts instead of that of one call.
  let hasBudget: Bool

  struct Progress {
    /// The post itself and each deferral or mediator that has not finished.
    var open = 1
    var isPosting = true
    var isCancelled = false
    var failures: [ListenerFailure] = []
    var mediators: [Delivering] = []
    var began: ContinuousClock.Instant?
    /// What who is being told says of its progress.
    var ownProgress: OwnProgress?
    var control: Control?
    var controlled: [@Sendable (Control) -> Void] = []
    /// Each passes over a deferral.
    var deferrals: [@Sendable () -> Void] = []
    var completion: (@Sendable (TransitionOutcome) -> Void)?
    var answer: RequestResult?
    var decision = TerminationDecision.now
    /// Of all who want more time, whatever others say.
    var delay = Duration.zero
    var saved: [SavedState] = []
    var unsaved: [String] = []
    /// Who was offered what an earlier run has left.
    var offered: Set<String> = []
  }

  /// A mediator that delivers it, and what is to begin on this thread when the post has returned.
  struct Delivering: Sendable {
    var mediator: LifecycleMediator
    var walk: Walk?
  }

  struct OwnProgress: Sendable {
    var place: String?
    var text: String
  }

  let progress: Locked<Progress>
  private let reports: ReportHub?

  /// - Parameter isPosted: nobody posts it, or it has been posted: a deferral would be one that nobody waits for.
  package init(
    event: LifecycleEvent, reason: LifecycleReason, origin: LifecycleOrigin, serial: UInt64 = 0,
    detail: TransitionDetail = .none, deadline: ContinuousClock.Instant? = nil, hasBudget: Bool = false,
    context: LifecycleContext? = nil, reports: ReportHub? = nil, isPosted: Bool = false,
    completion: (@Sendable (TransitionOutcome) -> Void)? = nil
  ) {
    self.event = event
    self.reason = reason
    self.origin = origin
    self.serial = serial
    self.detail = detail
    self.deadline = deadline
    self.hasBudget = hasBudget
    self.context = context ?? LifecycleContext()
    self.reports = reports
    progress = Locked(Progress(open: isPosted ? 0 : 1, isPosting: !isPosted, completion: completion))
  }

  /// Where the first failure of a required listener decides, nobody after it is told.
  var isShortCut: Bool {
    switch event {
    case .didFinishLaunching, .prepareReload, .reload, .sceneWillConnect: true
    case .willEnterForeground, .didBecomeActive: reason == .start
    default: false
    }
  }

  /// Makes the transition wait for work that goes on after the observer's block has returned.
  ///
  /// Only inside the post, synchronously in the observer's block; nil, and a report, once the post has returned.
  public func takeDeferral(_ name: String) -> LifecycleDeferral? {
    if join() {
      let deferral = LifecycleDeferral(name: name, transition: self)
      onControl { [weak deferral] in deferral?.apply($0) }
      progress.withLock { $0.deferrals.append { [weak deferral] in deferral?.apply(.passOver) } }
      return deferral
    }
    report(.deferralTooLate(name: name, event: event))
    return nil
  }

  /// Enters somebody whom the transition waits for until `leave`; false once the post has returned.
  ///
  /// - Parameter mediator: joins once, and is asked what the transition is asked.
  package func join(_ mediator: LifecycleMediator? = nil) -> Bool {
    progress.withLock { progress in
      guard progress.isPosting else { return false }
      if let mediator {
        if progress.mediators.contains(where: { $0.mediator === mediator }) { return false }
        progress.mediators.append(Delivering(mediator: mediator))
      }
      progress.open += 1
      return true
    }
  }

  func hasJoined(_ mediator: LifecycleMediator) -> Bool {
    progress.withLock { $0.mediators.contains { $0.mediator === mediator } }
  }

  /// Begins the walk on this thread as soon as the post has returned; false if it has.
  func leadAfterPost(_ walk: Walk) -> Bool {
    progress.withLock { progress in
      guard progress.isPosting,
        let place = progress.mediators.firstIndex(where: { $0.mediator === walk.mediator })
      else { return false }
      progress.mediators[place].walk = walk
      return true
    }
  }

  /// - Parameter isCutShort: whether somebody was not told, since the time was over.
  package func leave(failures: [ListenerFailure], isCutShort: Bool = false) {
    settle { progress in
      if isCutShort { progress.isCancelled = true }
      progress.failures += failures
      return true
    }
  }

  /// The post begins.
  package func beginPost(at now: ContinuousClock.Instant) { progress.withLock { $0.began = now } }

  /// Whether a block of an observer is running, and has not returned.
  package var isPosting: Bool { progress.withLock { $0.began != nil && $0.isPosting } }

  /// When its turn came; nil before.
  var postBegan: ContinuousClock.Instant? { progress.withLock({ $0.began }) }

  var hasBegun: Bool { postBegan != nil }

  /// An observer's block does not return: the post counts as ended, with a failure in its name.
  package func abandonPost() {
    let failure = ListenerFailure.timeout("an observer of \(event.rawValue)", event, isRequired: false)
    report(.listenerFailed(failure))
    for walk in closePost(failures: [failure]) { walk.begin() }
  }

  /// The post has returned: from now on only what joined in time is waited for.
  ///
  /// One walk goes on on this thread. Whoever blocks there must not keep the listeners of other mediators from their turn.
  ///
  /// - Parameter now: asked where each call has a limit of its own, which counts from here.
  package func endPost(at now: @autoclosure () -> ContinuousClock.Instant? = nil) {
    let walks = closePost()
    for walk in walks.dropLast() { walk.begin() }
    guard let walk = walks.last else { return }
    walk.lead(at: hasBudget ? nil : now())
  }

  /// - Returns: the walks that wait for it.
  private func closePost(failures: [ListenerFailure] = []) -> [Walk] {
    var walks: [Walk] = []
    settle { progress in
      guard progress.isPosting else { return false }
      progress.isPosting = false
      progress.failures += failures
      for place in progress.mediators.indices {
        if let walk = progress.mediators[place].walk { walks.append(walk) }
        progress.mediators[place].walk = nil
      }
      return true
    }
    return walks
  }

  /// Takes one off what is waited for, if the change says so.
  private func settle(_ change: (inout Progress) -> Bool) {
    let finished: (@Sendable () -> Void)? = progress.withLock { progress in
      guard change(&progress) else { return nil }
      progress.open -= 1
      guard progress.open == 0, let completion = progress.completion else { return nil }
      let outcome = TransitionOutcome(
        failures: progress.failures, wasCancelled: progress.isCancelled, delay: progress.delay)
      progress.completion = nil
      progress.controlled = []
      progress.deferrals = []
      progress.mediators = []
      return { completion(outcome) }
    }
    finished?()
  }

  package func report(_ report: LifecycleReport) { reports?.send(report) }

  // MARK: Control

  package var isCancelled: Bool { progress.withLock({ $0.isCancelled }) }

  /// What can be asked of a transition that is on its way.
  package enum Control: Hashable, Sendable {
    /// Tell nobody else; who is being told is cancelled and waited for.
    case cancel
    /// Who is being told is cancelled, and the others are told.
    case hasten
    /// Who is being told is cancelled and then left behind, as timed out; the others are told.
    case passOver
    /// Who is being told is cancelled and then left behind, as timed out; nobody else is told.
    case abandon

    /// What is asked of those who have not been told yet: nobody is told after a cancel, whatever follows.
    func followed(by other: Control) -> Control {
      switch (self, other) {
      case (.abandon, _), (.cancel, .passOver), (.cancel, .abandon): .abandon
      case (.cancel, _): .cancel
      default: other
      }
    }
  }

  /// Passes over the deferrals of plain observers.
  func passOverDeferrals() {
    for passOver in progress.withLock({ $0.deferrals }) { passOver() }
  }

  var isEnded: Bool { progress.withLock { $0.open == 0 } }

  /// What was asked, all in all.
  package var control: Control? { progress.withLock({ $0.control }) }

  package func apply(_ control: Control) {
    let (handlers, mediators) = progress.withLock { progress in
      progress.control = progress.control.map { $0.followed(by: control) } ?? control
      if control == .cancel { progress.isCancelled = true }
      return (progress.controlled, progress.mediators)
    }
    for delivering in mediators { delivering.mediator.apply(control, to: self) }
    for handler in handlers { handler(control) }
  }

  /// Calls the handler with each thing that is asked of the transition.
  package func onControl(_ handler: @escaping @Sendable (Control) -> Void) {
    progress.withLock { $0.controlled.append(handler) }
  }
}
