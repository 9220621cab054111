/// The timers of what has a time limit.
struct LifecycleLimit: Sendable {
  var overdue: (any LifecycleTimer)?
  var tick: (any LifecycleTimer)?
  var deadline: ContinuousClock.Instant?
  /// Whether a start, reload or stop is on its way, be its time limited or not.
  var isArmed = false
  /// Which limit the timers belong to: one that fires as it is taken away must do nothing.
  var number: UInt64 = 0
}

/// What a stop on its way has in all.
struct StopTime: Sendable {
  /// nil without a limit.
  var whole: Duration?
  private var end: ContinuousClock.Instant?

  init() {}

  init(whole: Duration?, from now: ContinuousClock.Instant) {
    self.whole = whole
    end = whole.map { now + $0 }
  }

  func left(at now: ContinuousClock.Instant) -> Duration? { end.map { now.duration(to: $0) } }
}

extension Lifecycle {
  /// How often the manager is asked to wait, and for how long (`EXTEND_TIMEOUT_USEC` in `sd_notify(3)`).
  private static let extensionInterval = Duration.seconds(2)
  private static let extensionLength = Duration.seconds(5)
  /// For what is left to do when our own limit is over: the last messages, and to end what does not end.
  private static let extensionMargin = Duration.seconds(1)

  /// How long the configured limits are; they count from the next start, reload or stop.
  package var timeouts: LifecycleTimeouts {
    get { core.withLock({ $0.timeouts }) }
    set {
      core.withLock { core in
        core.timeouts = newValue
        core.machine.drainDelay = newValue.drainDelay
      }
    }
  }

  func arm(_ budget: LifecycleBudget) {
    disarm()
    guard let performer = core.withLock({ $0.performer }) else { return }
    let now = performer.now
    let (number, duration) = core.withLock { core in
      core.limit.isArmed = true
      switch budget {
      case .stop: core.stopTime = StopTime(whole: core.timeouts.stop, from: now)
      case .hastened:
        core.stopTime = StopTime(whole: LifecycleTimeouts.hastened(core.stopTime.left(at: now)), from: now)
      case .start, .reload, .recovery, .remainder, .last: break
      }
      return (core.limit.number, core.timeouts.duration(of: budget, in: core.stopTime.whole))
    }
    let overdue = duration.map { duration in
      performer.timer(after: duration) { [weak self] in
        guard let self, core.withLock({ $0.limit.number == number }) else { return }
        process(.overdue(budget))
      }
    }
    core.withLock { core in
      core.limit.overdue = overdue
      core.limit.deadline = duration.map { now + $0 }
    }
    extend(number, performer)
  }

  /// How long a call that was cancelled for its time may take to return.
  var grace: Duration {
    core.withLock { $0.timeouts.grace(in: $0.machine.state == .stopping ? $0.stopTime.whole : nil) }
  }

  func disarm() {
    let limit = core.withLock { core in
      defer { core.limit = LifecycleLimit(number: core.limit.number + 1) }
      return core.limit
    }
    limit.overdue?.cancel()
    limit.tick?.cancel()
  }

  /// Asks the manager to wait, less near our own limit, and again every two seconds; what is going on goes with it.
  private func extend(_ number: UInt64, _ performer: any LifecyclePerformer) {
    let now = performer.now
    let (isCurrent, end): (Bool, Duration?) = core.withLock { core in
      let isStopping = core.machine.state == .stopping
      // In a stop its end counts, not that of one part of it.
      let left = isStopping ? core.stopTime.left(at: now) : core.limit.deadline.map { now.duration(to: $0) }
      return (core.limit.number == number, left)
    }
    guard isCurrent else { return }
    // What comes at the end takes its moment, too.
    let left = end.map { max(.zero, $0) + Self.extensionMargin } ?? Self.extensionLength
    performer.notify(ManagerNotice(status: progress, extending: min(left, Self.extensionLength)))
    let tick = performer.timer(after: Self.extensionInterval) { [weak self] in self?.extend(number, performer) }
    let isKept = core.withLock { core in
      guard core.limit.number == number else { return false }
      core.limit.tick = tick
      return true
    }
    if !isKept { tick.cancel() }
  }

  /// "starting 3/7: database"; nil while nobody is being told, or where STATUS says why the start has failed.
  var progress: String? {
    let (state, current, hasFailed) = core.withLock { ($0.machine.state, $0.current, $0.machine.startFailure != nil) }
    guard !hasFailed, let step = current?.progressText else { return nil }
    return "\(state.rawValue) \(step)"
  }

  /// The time is over for whoever is being told.
  func leaveBehind(_ control: LifecycleTransition.Control) {
    guard let current = core.withLock({ $0.current }) else { return }
    current.apply(control)
    guard current.hasBegun else { return passOverWhatIsInFront(of: current, control) }
    // An observer's own block, or a listener that blocks, holds the thread: the rest goes on on a fresh one.
    guard current.isPosting else { return }
    abandonPost(of: current)
  }

  /// Who is being told is to return; also who stands in front.
  func hasten() {
    guard let current = core.withLock({ $0.current }) else { return }
    current.apply(.hasten)
    if !current.hasBegun { for mediator in mediators { mediator.apply(.hasten, to: current) } }
  }

  /// An observer's block does not return; it may stand before the mediators, which have their turn all the same.
  func abandonPost(of transition: LifecycleTransition) {
    leaveDeliveryBehind()
    for mediator in mediators { mediator.receive(transition) }
    transition.abandonPost()
  }

  /// What stands beside the lifecycle's own way, such as a signal, a request or somebody else's post, may hold the
  /// thread, and keep what is current from its beginning.
  private func passOverWhatIsInFront(of current: LifecycleTransition, _ control: LifecycleTransition.Control) {
    for mediator in mediators { mediator.apply(control, to: current) }
    _ = timer(after: grace) { [weak self, weak current] in
      guard let self, let current, !current.hasBegun, core.withLock({ $0.current === current }) else { return }
      leaveDeliveryBehind()
    }
  }

  func timer(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> (any LifecycleTimer)? {
    core.withLock({ $0.performer })?.timer(after: delay, work)
  }

  func leaveDeliveryBehind() {
    guard let performer = core.withLock({ $0.performer }), !performer.leaveDeliveryBehind() else { return }
    let isStopping: Bool? = core.withLock { core in
      guard !core.isExhausted else { return nil }
      core.isExhausted = true
      return core.machine.state == .stopping
    }
    guard let isStopping else { return }
    hub.send(.deliveryExhausted)
    let status = "too many listeners block their thread: \(progress ?? "ending at once")"
    performer.notify(isStopping ? ManagerNotice(status: status) : ManagerNotice(.stopping, status: status))
    // For whoever reads the reports.
    _ = performer.timer(after: .milliseconds(100)) { performer.exitNow(70) }
  }
}
