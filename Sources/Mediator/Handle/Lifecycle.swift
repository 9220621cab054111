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
    /// Since when it stands where it stands.
    var stateBegan: ContinuousClock.Instant?
    /// The newest event that was posted, for mediators that come late.
    var newestEvent: LifecycleEvent?
    var serial: UInt64 = 0
    /// How many listeners have each ability.
    var abilities: [AbilitySet: Int] = [:]
    /// Those of all together.
    var able: AbilitySet = []
    /// What the performer was told of them.
    var needs: AbilitySet = []
    var mediators: [WeakMediator] = []
    /// What goes with occurrences until they are posted, and who waits for what comes of them.
    var occurrences: [OccurrenceTicket: Occurrence] = [:]
    var scenes: [String: LifecycleScene] = [:]
    var sceneOrder: [String] = []
    /// Those whose listeners are being told.
    var movingScenes: [ObjectIdentifier: LifecycleScene] = [:]
    /// Whether scenes may be in the foreground.
    var scenesServe = false
    /// Scenes that were connected inside a callback of the start; they connect when it has ended.
    var earlyScenes: [LifecycleScene] = []
    var openRequests = 0
    package var hasEarlyInputs: Bool { !early.isEmpty }
    var idleExit = IdleExit.never
    var idleTimer: (any LifecycleTimer)?
    var savedStates: [String: SavedState] = [:]
    /// Of the transition in which each listener has handed over what is kept, or that it has nothing.
    var savedSerials: [String: UInt64] = [:]
    var watch: HealthWatch?
    package var openTransitionCount: Int { openTransitions.count }
    package var openChecks: Int { watch?.monitor.openChecks ?? 0 }
    /// The transitions on their way, by their serials.
    var openTransitions: [UInt64: OpenTransition] = [:]
    /// When calls without another limit are looked at next; nil while nobody waits for that.
    var callsDue: ContinuousClock.Instant?
    var reloadBegan: ContinuousClock.Instant?
    var timeouts = LifecycleTimeouts()
    var limit = LifecycleLimit()
    var stopTime = StopTime()
    /// No thread is left for delivery.
    var isExhausted = false
    var waiters = LifecycleWaiters()
    /// Known once everything has been said and done.
    var exitStatus: Int32?
  }

  struct WeakMediator: Sendable { weak var mediator: LifecycleMediator? }

  package let core = Locked(Core())
  package let hub = ReportHub()
  /// What the delivery thread posts at this moment.
  let posting = Locked<LifecycleTransition?>(nil)
  let tracing = Locked<LifecycleTrace?>(nil)
  /// What listeners share.
  public let context: LifecycleContext

  /// Where `run()`, checks of health, words for STATUS and answers run, which may block; nil is the global executor.
  package let beside: (any TaskExecutor)?

  package init(context: LifecycleContext = LifecycleContext(), beside: (any TaskExecutor)? = nil) {
    self.context = context
    self.beside = beside
  }

  /// Where the lifecycle stands now.
  public var state: LifecycleState { core.withLock({ $0.machine.state }) }

  /// How many configurations have been in force; grows by one with each wholly successful reload.
  public var generation: UInt64 { core.withLock({ $0.machine.generation }) }

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

  /// What the lifecycle can do, by the abilities of its listeners now.
  public var capabilities: Set<LifecycleCapability> {
    core.withLock({ $0.able }).capabilities
  }

  /// Whether some listener has this ability.
  func isAble(_ ability: AbilitySet) -> Bool { core.withLock({ $0.able }).contains(ability) }

  /// Whether any listener takes part in reloads.
  package var hasReloadListeners: Bool { core.withLock({ $0.machine.hasReloadListeners }) }

  func count(_ abilities: AbilitySet, _ change: Int) {
    if abilities.isEmpty { return }
    core.withLock { core in
      core.abilities[abilities, default: 0] += change
      core.able = core.abilities.filter { $0.value > 0 }.keys.reduce(AbilitySet()) { $0.union($1) }
      core.machine.hasReloadListeners = core.able.contains(.reload)
      core.machine.hasTerminationDeciders = core.able.contains(.termination)
      core.machine.hasStateListeners = core.able.contains(.stateRestoring)
    }
    guard core.withLock({ $0.performer }) != nil else { return }
    // One that comes while the service runs is watched from then on.
    if change > 0, abilities.contains(.health) {
      schedule { [self] in if core.withLock({ $0.machine.state }).isServing { beginWatch() } }
    }
    schedule { [self] in tellNeeds() }
  }

  /// Nobody could be told before the service serves, or once it stops.
  func tellNeeds() {
    let (performer, needs) = core.withLock { core in
      let needs = core.machine.state.isServing ? core.able : []
      let areNew = needs != core.needs
      core.needs = needs
      return (areNew ? core.performer : nil, needs)
    }
    performer?.need(needs.capabilities)
  }

  func enroll(_ mediator: LifecycleMediator) {
    core.withLock { core in
      core.mediators.removeAll { $0.mediator == nil }
      core.mediators.append(WeakMediator(mediator: mediator))
    }
  }

  var mediators: [LifecycleMediator] { core.withLock { $0.mediators.compactMap(\.mediator) } }

  /// Signals that a listener names that came after the bridge had claimed its own.
  func claim(_ signals: Set<SignalNumber>) { core.withLock({ $0.performer })?.claim(signals) }

  /// A listener's `run()` has ended without being asked to.
  func runEnded(_ failure: ListenerFailure) {
    hub.send(.listenerFailed(failure))
    submit(.runEnded(failure))
  }

  /// Whoever is not what failed any more makes the service degraded no more.
  package func mended(_ listeners: Set<String>) { if !listeners.isEmpty { submit(.mended(listeners)) } }

  var isDelivering: Bool { core.withLock({ $0.performer })?.isDelivering ?? false }

  /// nil while there is no clock.
  var now: ContinuousClock.Instant? { core.withLock({ $0.performer })?.now }

  var newestEvent: LifecycleEvent? { core.withLock({ $0.newestEvent }) }

  // MARK: Performing

  /// Gives the lifecycle what carries out its effects, and begins it.
  package func run(on performer: any LifecyclePerformer, timeouts: LifecycleTimeouts = LifecycleTimeouts()) {
    let inputs = core.withLock { core in
      core.performer = performer
      core.timeouts = timeouts
      core.machine.drainDelay = timeouts.drainDelay
      core.machine.hasSavedState = !core.savedStates.isEmpty
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

  /// As `submit`, for what a source tells where inputs are processed.
  package func arrived(_ input: LifecycleInput) {
    guard let performer = core.withLock({ $0.performer }) else { return submit(input) }
    performer.scheduleFromSource { self.process(input) }
  }

  /// Runs the work where inputs are processed; at once when the lifecycle is over.
  func schedule(_ work: @escaping @Sendable () -> Void) {
    if let performer = core.withLock({ $0.performer }) { performer.schedule(work) } else { work() }
  }

  /// Runs where the performer schedules, so one input's effects are carried out before the next input is looked at.
  func process(_ input: LifecycleInput) {
    let (effects, before, after, resumptions) = core.withLock { core in
      let before = core.machine.state
      let effects = core.machine.handle(input)
      if core.machine.state != before { core.stateBegan = core.performer?.now }
      let resumptions = core.waiters.takeResolved(by: core.machine)
      return (effects, before, core.machine.state, resumptions)
    }
    if after != before {
      if let trace, let now { trace.enter(after, at: now) }
      hub.send(.stateChanged(after))
    }
    for effect in effects { perform(effect) }
    for resumption in resumptions { resumption() }
    if after != before {
      tellNeeds()
      arrived(in: after, from: before)
    }
  }

  private func perform(_ effect: LifecycleEffect) {
    switch effect {
    case .notify(let notice):
      let performer = core.withLock({ $0.performer })
      if notice.state == .reloading, let now = performer?.now { core.withLock { $0.reloadBegan = now } }
      performer?.notify(notice)
      if notice.state == .ready { beginWatch() }
      if notice.state == .stopping { endWatch() }
    case .post(let event, let reason, let origin): move(event, reason, origin)
    case .postOccurrence(let event, let reason, let origin, let ticket): post(event, reason, origin, ticket)
    case .refuse(let tickets): for ticket in tickets { refuse(ticket) }
    case .wait(let delay): wait(delay)
    case .cancel: core.withLock({ $0.current })?.apply(.cancel)
    case .hasten: hasten()
    case .passOver: leaveBehind(.passOver)
    case .abandon: leaveBehind(.abandon)
    case .arm(let budget): arm(budget)
    case .disarm: disarm()
    case .exitNow(let status): core.withLock({ $0.performer })?.exitNow(status)
    case .remembered: hub.send(.reloadRemembered)
    case .saveState: submit(.encodeState, .embedder, .none) { self.keepState(of: $0) { _ in } }
    case .answer(let tickets, let answer): self.answer(tickets, answer)
    case .finish(let status): finish(status)
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
      let (resumptions, occurrences) = core.withLock { core in
        core.performer = nil
        core.exitStatus = status
        defer { core.occurrences = [:] }
        return (core.waiters.takeExits(status), core.occurrences)
      }
      for occurrence in occurrences.values { occurrence.ended?(nil) }
      hub.send(.finished(exitStatus: status))
      hub.finish()
      for resumption in resumptions { resumption() }
    }
  }
}
