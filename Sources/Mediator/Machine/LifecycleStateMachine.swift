/// Decides what happens next in a daemon's life: a pure value, total over every state and input.
///
/// It knows no listeners, no clock and no system. At most one transition (but for `didReceiveSignal`, which moves
/// nothing) is on its way at a time; what is asked for meanwhile is remembered and looked at when it has ended.
package struct LifecycleStateMachine: Hashable, Sendable {
  package enum Phase: Hashable, Sendable {
    case notStarted
    /// This event of the start is on its way.
    case starting(LifecycleEvent)
    case foreground
    case background
    case pausing(LifecycleEvent)
    case resuming(LifecycleEvent)
    case reloading(Reload)
    case stopping(Stop)
    case stopped(Int32)
  }

  /// A reload on its way.
  package struct Reload: Hashable, Sendable {
    var origin: LifecycleOrigin
    var tickets: [ReloadTicket]
    var event: LifecycleEvent
    /// The reload of a paused service neither leaves nor enters the foreground.
    var fromForeground: Bool
    var failure: ListenerFailure?
  }

  /// A stop on its way: the event that is being told, and those that follow.
  package struct Stop: Hashable, Sendable {
    var origin: LifecycleOrigin
    var event: LifecycleEvent
    /// Whether `event` was on its way before the stop and is being abandoned.
    var isAbandoning: Bool
    var remaining: [LifecycleEvent]
    /// Nothing is on its way: the service still serves, and the stop is put off.
    var isWaiting = false
    /// The time is over: nobody else is told, and the stop ends with `event`.
    var isLast = false
    /// The service took work when the stop came, so that the drain delay counts.
    var drains = false
    /// `event` was on its way before the stop.
    var isInherited = false
  }

  /// Requests that came in the start, to be offered once it serves.
  struct WaitingOccurrence: Hashable, Sendable {
    var event: LifecycleEvent
    var origin: LifecycleOrigin
    var ticket: OccurrenceTicket
  }

  /// What is kept of requests during a start; beyond it they are refused.
  static let waitingLimit = 1024

  /// Reload requests that wait; they share one reload.
  struct WaitingReload: Hashable, Sendable {
    var origin: LifecycleOrigin
    var tickets: [ReloadTicket]
  }

  package internal(set) var phase: Phase = .notStarted
  package internal(set) var generation: UInt64 = 1
  /// Whether any listener takes part in reloads; without one a request is answered at once.
  package var hasReloadListeners = false
  /// Whether any listener has a say in when a stop begins.
  package var hasTerminationDeciders = false
  /// Whether any listener's state outlives the process, and whether an earlier run has left some.
  package var hasStateListeners = false
  package var hasSavedState = false
  /// How long the service goes on serving after STOPPING.
  package var drainDelay = Duration.zero

  /// A stop that came before the run, and who asked for it.
  var earlyStop: LifecycleOrigin?
  var waitingReload: WaitingReload?
  var waitingOccurrences: [WaitingOccurrence] = []
  /// Whether a stop has the time to be put off.
  var mayWait = true
  /// Listeners have agreed to the stop.
  var isAgreed = false
  /// Who is unwell, by their health checks.
  var unwell: [ListenerFailure] = []
  /// What listeners say of what the service does.
  var reportedStatus = ""
  var pauses: Set<PauseCause> = []
  /// Who asked for the pause or the resumption on its way, and who asked last.
  var pauseOrigin: LifecycleOrigin = .embedder
  var nextPauseOrigin: LifecycleOrigin = .embedder
  /// Why the service is where it is.
  var reason: LifecycleReason = .start
  /// Why the service is degraded: each listener's newest failure.
  var degraded: [ListenerFailure] = []
  var startFailure: ListenerFailure?
  /// The first failure of a required listener, which the exit status tells.
  var firstFailure: ListenerFailure?
  /// A required listener did not end in its time while the service stopped, or the time of the stop was over.
  var hasTimedOut = false
  /// The time for those who are to be told in a stop is over.
  var isOutOfTime = false
  /// Who that was.
  var culprit: ListenerFailure?
  /// Why the newest reload has failed.
  var reloadFailure: ListenerFailure?
  /// Signals that asked for a stop; the second hastens it, the third ends it.
  var stopSignals = 0
  /// systemd keeps ERRNO until it is told another.
  var toldErrno = false

  package init() {}

  package mutating func handle(_ input: LifecycleInput) -> [LifecycleEffect] {
    switch input {
    case .run: return run()
    case .reload(let origin, let ticket): return requestReload(origin, ticket)
    case .pause(let cause, let origin): return changePauses(origin) { _ = $0.insert(cause) }
    case .resume(let cause, let origin): return changePauses(origin) { _ = $0.remove(cause) }
    case .stop(let origin): return stop(origin)
    case .agreedStop(let origin):
      isAgreed = true
      return stop(origin)
    case .waited: return waited()
    case .signal(let origin): return signal(origin)
    case .occurred(let event, let origin, let ticket): return occurred(event, origin, ticket)
    case .runEnded(let failure): return runEnded(failure)
    case .mended(let listeners): return mended(listeners)
    case .status(let text): return status(text)
    case .health(let failures): return health(failures)
    case .overdue(let budget): return overdue(budget)
    case .failed(let failure): return failed(failure)
    case .ended(let event, let outcome): return ended(event, outcome)
    }
  }

  package var state: LifecycleState {
    switch phase {
    case .notStarted: .notStarted
    case .starting: .starting
    case .foreground, .pausing: .foreground
    case .background, .resuming: .background
    case .reloading: .reloading
    case .stopping: .stopping
    case .stopped: .stopped
    }
  }

  private mutating func ended(_ event: LifecycleEvent, _ outcome: TransitionOutcome) -> [LifecycleEffect] {
    switch phase {
    case .starting(event): return startEnded(event, outcome)
    case .pausing(event): return pauseEnded(event, outcome)
    case .resuming(event): return resumeEnded(event, outcome)
    case .reloading(let reload) where reload.event == event: return reloadEnded(reload, outcome)
    case .stopping(let stop) where stop.event == event && !stop.isWaiting: return stopEnded(stop, outcome)
    case .notStarted, .starting, .foreground, .background, .pausing, .resuming, .reloading, .stopping:
      return occurrenceEnded(event, outcome)
    case .stopped: return []
    }
  }

  private mutating func failed(_ failure: ListenerFailure) -> [LifecycleEffect] {
    switch phase {
    case .foreground, .background:
      keep(failure)
      return [.notify(ManagerNotice(status: standingStatus))]
    case .starting, .pausing, .resuming, .reloading:
      keep(failure)
      return []
    case .notStarted, .stopping, .stopped: return []
    }
  }

  /// A decision is not waited for any longer; on the way there and back everybody else is still told.
  private func overdue(_ reload: Reload) -> [LifecycleEffect] {
    let isDecision = reload.event == .prepareReload || reload.event == .reload
    return [.arm(.recovery), isDecision ? .abandon : .passOver]
  }

  /// Whoever is being told when the time has run out is left behind; the transition then ends with its failure, and
  /// everything takes the course that a failure takes.
  private mutating func overdue(_ budget: LifecycleBudget) -> [LifecycleEffect] {
    switch (budget, phase) {
    // An optional listener that was the last to be told stops nothing; what follows has this time once more.
    case (.start, .starting): [.arm(.start), .abandon]
    case (.reload, .reloading(let reload)), (.recovery, .reloading(let reload)): overdue(reload)
    case (.stop, .stopping), (.remainder, .stopping), (.hastened, .stopping), (.last, .stopping): overdueStop(budget)
    default: []
    }
  }

  private func signal(_ origin: LifecycleOrigin) -> [LifecycleEffect] {
    switch phase {
    case .foreground, .background, .pausing, .resuming, .reloading: [.post(.didReceiveSignal, reason, origin)]
    case .notStarted, .starting, .stopping, .stopped: []
    }
  }

  /// Where nothing is on its way: does what was asked for meanwhile.
  mutating func settle() -> [LifecycleEffect] {
    switch phase {
    case .foreground, .background:
      if let waiting = waitingReload { return beginReload(waiting) }
      if phase == .foreground, !pauses.isEmpty { return beginPause() }
      if phase == .background, pauses.isEmpty { return beginResume() }
      return []
    case .notStarted, .starting, .pausing, .resuming, .reloading, .stopping, .stopped: return []
    }
  }

  /// Why the service is where it is, or on its way.
  package var currentReason: LifecycleReason {
    switch phase {
    case .notStarted, .starting: .start
    case .stopping, .stopped: .stop
    case .foreground, .background, .pausing, .resuming, .reloading: reason
    }
  }

  /// Whether requests wait for the end of the start.
  package var hasWaitingRequests: Bool { !waitingOccurrences.isEmpty }

  /// How many wait for a reload that has not begun.
  package var waitingTickets: Int { waitingReload?.tickets.count ?? 0 }

  /// Forgets what only grows, or is only said, and decides nothing, so that equal situations are equal values.
  package mutating func forgetCounters() {
    generation = 1
    (culprit, reloadFailure, degraded) = (nil, nil, [])
    firstFailure = firstFailure.map { _ in .timeout("somebody", .willTerminate, isRequired: true) }
  }

  // MARK: What is remembered of failures

  /// Failures of a service that goes on: it is degraded, and a required listener's shows in the exit status.
  ///
  /// What went wrong in an event before is forgotten when the event is told again.
  mutating func note(_ event: LifecycleEvent, _ outcome: TransitionOutcome) {
    if !outcome.wasCancelled { degraded.removeAll { $0.event == event } }
    for failure in outcome.failures { keep(failure) }
  }

  mutating func keep(_ failure: ListenerFailure) {
    degraded.removeAll { $0.listener == failure.listener }
    degraded.append(failure)
    if failure.isRequired { firstFailure = firstFailure ?? failure }
  }

  /// What STATUS says while nothing is on its way.
  var standingStatus: String {
    let paused = reportedStatus.isEmpty ? "paused" : "paused, \(reportedStatus)"
    let place = phase == .background ? paused : reportedStatus.isEmpty ? "running" : reportedStatus
    if let worst = unwell.first(where: \.isRequired) { return "unhealthy: \(worst.summary)" }
    if let reloadFailure {
      return (phase == .background ? "\(place), " : "") + "reload failed: \(reloadFailure.summary)"
    }
    let troubles = degraded + unwell
    guard let first = troubles.first else { return place }
    let others = troubles.count > 1 ? " (and \(troubles.count - 1) more)" : ""
    let trouble = "degraded: \(first.summary)\(others)"
    return phase == .background ? "\(place), \(trouble)" : trouble
  }

  /// The errno to tell with a failure; 0 with a success, if one was told before.
  mutating func errnoToTell(_ failure: ListenerFailure?) -> Int32? {
    if let errno = failure?.errno, errno != 0 {
      toldErrno = true
      return errno
    }
    guard toldErrno else { return nil }
    toldErrno = false
    return 0
  }
}
