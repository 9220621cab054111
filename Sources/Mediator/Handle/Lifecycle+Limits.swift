/// The timers of what has a time limit.
struct LifecycleLimit: Sendable {
  var overdue: (any LifecycleTimer)?
  var tick: (any LifecycleTimer)?
  var deadline: ContinuousClock.Instant?
  /// Which limit the timers belong to: one that fires as it is taken away must do nothing.
  var number: UInt64 = 0
}

extension Lifecycle {
  /// How often the manager is asked to wait, and for how long (`EXTEND_TIMEOUT_USEC` in `sd_notify(3)`).
  private static let extensionInterval = Duration.seconds(2)
  private static let extensionLength = Duration.seconds(5)

  /// How long the configured limits are; they count from the next start, reload or stop.
  package var timeouts: LifecycleTimeouts {
    get { core.withLock(\.timeouts) }
    set {
      core.withLock { core in
        core.timeouts = newValue
        core.machine.drainDelay = newValue.drainDelay
      }
    }
  }

  func arm(_ budget: LifecycleBudget) {
    disarm()
    guard let performer = core.withLock(\.performer) else { return }
    let now = performer.now
    let (number, duration) = core.withLock { core in
      if budget == .stop { core.stopDeadline = core.timeouts.stop.map { now + $0 } }
      let left = core.stopDeadline.map { now.duration(to: $0) }
      return (core.limit.number, core.timeouts.duration(of: budget, left: left))
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
    let (isCurrent, deadline) = core.withLock { ($0.limit.number == number, $0.limit.deadline) }
    guard isCurrent else { return }
    let left = deadline.map { performer.now.duration(to: $0) } ?? Self.extensionLength
    guard left > .zero else { return }
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
  private var progress: String? {
    let (state, current, hasFailed) = core.withLock { ($0.machine.state, $0.current, $0.machine.startFailure != nil) }
    guard !hasFailed, let step = current?.progressText else { return nil }
    return "\(state.rawValue) \(step)"
  }

  /// The time is over for whoever is being told.
  func leaveBehind(_ control: LifecycleTransition.Control) {
    guard let current = core.withLock(\.current) else { return }
    current.apply(control)
    // An observer's own block, or a listener that blocks, holds the thread: the rest goes on on a fresh one.
    guard current.isPosting else { return }
    leaveDeliveryBehind()
    current.abandonPost()
  }

  func timer(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> (any LifecycleTimer)? {
    core.withLock(\.performer)?.timer(after: delay, work)
  }

  func leaveDeliveryBehind() {
    guard let performer = core.withLock(\.performer) else { return }
    if !performer.leaveDeliveryBehind() {
      hub.send(.deliveryExhausted)
      performer.exitNow(70)
    }
  }
}
