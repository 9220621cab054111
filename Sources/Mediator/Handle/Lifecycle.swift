internal import Foundation

/// The handle of a daemon's life, and the `object` of its notifications.
///
/// Its methods may be called from any thread, before, during and after the run. Those that wait must not be called
/// from a listener's callback or an observer's block, which they would wait for: there, use `requestStop()` and
/// `requestReload()`.
public final class Lifecycle: Sendable {
  package struct Core: Sendable {
    package var machine = LifecycleStateMachine()
    var performer: (any LifecyclePerformer)?
    /// What was asked for before the run.
    var early: [LifecycleInput] = []
    var current: LifecycleTransition?
    /// The newest event that was posted, for mediators that come late.
    var newestEvent: LifecycleEvent?
    var serial: UInt64 = 0
    var reloadListeners = 0
    var reloadBegan: ContinuousClock.Instant?
    var timeouts = LifecycleTimeouts()
    var limit = LifecycleLimit()
    var waiters = LifecycleWaiters()
    /// Known once everything has been said and done.
    var exitStatus: Int32?
  }

  package let core = Locked(Core())
  package let hub = ReportHub()

  package init() {}

  public var state: LifecycleState { core.withLock(\.machine.state) }

  /// How many configurations have been in force; grows by one with each wholly successful reload.
  public var generation: UInt64 { core.withLock(\.machine.generation) }

  /// What happens in the lifecycle, from now on; the first reader also gets what happened before.
  ///
  /// Each reader has a sequence of its own. It ends with the lifecycle. A reader that is more than 4,096 reports
  /// behind loses the oldest.
  public var reports: AsyncStream<LifecycleReport> { hub.stream() }

  /// Stops in order, without waiting; may be called from any thread, before, during and after the run.
  public func requestStop() { submit(.stop(.embedder)) }

  /// Reloads, without waiting; may be called from anywhere.
  public func requestReload() { submit(.reload(.embedder)) }

  // MARK: Listeners

  /// Whether any listener takes part in reloads.
  package var hasReloadListeners: Bool { core.withLock { $0.reloadListeners > 0 } }

  func countReloadListeners(_ change: Int) {
    core.withLock { core in
      core.reloadListeners += change
      core.machine.hasReloadListeners = core.reloadListeners > 0
    }
  }

  var newestEvent: LifecycleEvent? { core.withLock(\.newestEvent) }

  // MARK: Performing

  /// Gives the lifecycle what carries out its effects, and begins it.
  package func run(on performer: any LifecyclePerformer, timeouts: LifecycleTimeouts = LifecycleTimeouts()) {
    let inputs = core.withLock { core in
      core.performer = performer
      core.timeouts = timeouts
      defer { core.early = [] }
      return core.early + [.run]
    }
    for input in inputs { performer.schedule { self.process(input) } }
  }

  package func submit(_ input: LifecycleInput) {
    let performer = core.withLock { core in
      if core.performer == nil, core.machine.state == .notStarted { core.early.append(input) }
      return core.performer
    }
    performer?.schedule { self.process(input) }
  }

  /// Runs where the performer schedules, so one input's effects are carried out before the next input is looked at.
  func process(_ input: LifecycleInput) {
    let (effects, before, after, resumptions) = core.withLock { core in
      let before = core.machine.state
      let effects = core.machine.handle(input)
      let resumptions = core.waiters.takeResolved(by: core.machine)
      return (effects, before, core.machine.state, resumptions)
    }
    if after != before { hub.send(.stateChanged(after)) }
    for effect in effects { perform(effect) }
    for resumption in resumptions { resumption() }
  }

  private func perform(_ effect: LifecycleEffect) {
    switch effect {
    case .notify(let notice):
      let performer = core.withLock(\.performer)
      if notice.state == .reloading, let now = performer?.now { core.withLock { $0.reloadBegan = now } }
      performer?.notify(notice)
    case .post(let event, let reason, let origin): post(event, reason, origin)
    case .cancel: core.withLock(\.current)?.apply(.cancel)
    case .hasten: core.withLock(\.current)?.apply(.hasten)
    case .passOver: leaveBehind(.passOver)
    case .abandon: leaveBehind(.abandon)
    case .arm(let budget): arm(budget)
    case .disarm: disarm()
    case .exitNow(let status): core.withLock(\.performer)?.exitNow(status)
    case .remembered: hub.send(.reloadRemembered)
    case .answer(let tickets, let answer): self.answer(tickets, answer)
    case .finish(let status): finish(status)
    }
  }

  private func post(_ event: LifecycleEvent, _ reason: LifecycleReason, _ origin: LifecycleOrigin) {
    guard let performer = core.withLock(\.performer) else { return }
    let began = performer.now
    let serial = core.withLock { core in
      core.serial += 1
      return core.serial
    }
    let transition = LifecycleTransition(event: event, reason: reason, origin: origin, serial: serial, reports: hub) {
      [self] outcome in
      hub.send(
        .eventEnded(
          event, reason, serial: serial, duration: began.duration(to: performer.now), wasCancelled: outcome.wasCancelled
        ))
      submit(.ended(event, outcome))
    }
    core.withLock { core in
      guard event != .didReceiveSignal else { return }
      core.current = transition
      // A reload leaves everybody where they are.
      switch event {
      case .prepareReload, .reload, .revertReload: break
      default: core.newestEvent = event
      }
    }
    hub.send(.eventBegan(event, reason, origin, serial: serial))
    performer.deliver { [self] in
      transition.beginPost()
      performer.center.post(
        name: event.notificationName, object: self, userInfo: [LifecycleTransition.userInfoKey: transition])
      transition.endPost()
    }
  }

  private func answer(_ tickets: [ReloadTicket], _ answer: ReloadAnswer) {
    let (began, performer) = core.withLock { ($0.reloadBegan, $0.performer) }
    let outcome: ReloadOutcome
    switch answer {
    case .reloaded(let generation):
      let duration = began.flatMap { began in performer.map { began.duration(to: $0.now) } }
      outcome = .reloaded(generation: generation, duration ?? .zero)
    case .nothingToReload(let generation): outcome = .reloaded(generation: generation, .zero)
    case .failed(let failure): outcome = .failed(LifecycleError(failure))
    case .droppedByStop: outcome = .droppedByStop
    }
    if case .nothingToReload = answer { hub.send(.nothingToReload) } else { hub.send(.reloadEnded(outcome)) }
    for resumption in core.withLock({ $0.waiters.takeReloads(tickets, outcome) }) { resumption() }
  }

  private func finish(_ status: Int32) {
    disarm()
    let performer = core.withLock { core in
      core.current = nil
      return core.performer
    }
    performer?.finish(status) { [self] in
      let resumptions = core.withLock { core in
        core.performer = nil
        core.exitStatus = status
        return core.waiters.takeExits(status)
      }
      hub.send(.finished(exitStatus: status))
      hub.finish()
      for resumption in resumptions { resumption() }
    }
  }
}
