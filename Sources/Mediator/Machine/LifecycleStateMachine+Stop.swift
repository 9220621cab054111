extension LifecycleStateMachine {
  mutating func stop(_ origin: LifecycleOrigin, because status: String = "stopping") -> [LifecycleEffect] {
    let hastening = countSignal(origin)
    switch phase {
    case .stopping, .stopped: return hastening
    case .notStarted:
      earlyStop = earlyStop ?? origin
      return []
    case .starting, .foreground, .background, .pausing, .resuming, .reloading: break
    }
    return [.notify(ManagerNotice(.stopping, status: status)), .arm(.stop)] + dropWaiting() + leave(origin)
  }

  /// Signals are counted, not stops: after a stop that no signal began, the next signal is the first.
  private mutating func countSignal(_ origin: LifecycleOrigin) -> [LifecycleEffect] {
    guard case .signal(let number, _, _, _) = origin, stopSignals < 3 else { return [] }
    stopSignals += 1
    guard case .stopping(let stop) = phase else { return [] }
    switch stopSignals {
    case 2 where !stop.isLast:
      mayWait = false
      let notice = ManagerNotice(status: "stopping, hastened by a second signal")
      return [.notify(notice), .arm(.hastened), .hasten] + waited()
    case 3: return [.exitNow(128 + number.rawValue)]
    default: return []
    }
  }

  /// Out of time: who is being told is passed over, and the others share what was kept back. When that is over too,
  /// who is being told is left behind and named, and nobody else is told.
  mutating func overdueStop(_ budget: LifecycleBudget) -> [LifecycleEffect] {
    if budget == .stop {
      mayWait = false
      let effects = waited()
      return [.arm(.remainder)] + (effects.isEmpty ? [.passOver] : effects)
    }
    hasTimedOut = true
    guard case .stopping(var stop) = phase, !stop.isWaiting, budget != .last else { return end() }
    stop.isLast = true
    stop.remaining = []
    phase = .stopping(stop)
    return [.arm(.last), .abandon]
  }

  /// From wherever the service is to its end.
  mutating func leave(_ origin: LifecycleOrigin) -> [LifecycleEffect] {
    switch phase {
    case .starting(let event): return abandon(event, origin, wayOut(after: event))
    case .foreground: return goOnStopping(origin, fromForeground)
    case .background: return goOnStopping(origin, asked + end(from: []))
    case .pausing(let event): return follow(event, origin)
    case .resuming(let event): return abandon(event, origin, end(from: Self.toBackground))
    case .reloading(let reload): return leave(reload, origin)
    case .notStarted, .stopping, .stopped: return []
    }
  }

  /// Before its commit a reload has changed nothing; within it, what is done is reverted; after it, it stands.
  private mutating func leave(_ reload: Reload, _ origin: LifecycleOrigin) -> [LifecycleEffect] {
    switch reload.event {
    case .willResignActive, .didEnterBackground: return follow(reload.event, origin)
    case .reload: return abandon(.reload, origin, [.revertReload] + end(from: []))
    case .revertReload: return follow(.revertReload, origin)
    case .prepareReload where !reload.fromForeground: return abandon(.prepareReload, origin, asked + end(from: []))
    case .prepareReload, .willEnterForeground, .didBecomeActive:
      return abandon(reload.event, origin, fromForeground)
    default: return []
    }
  }

  private static let toBackground: [LifecycleEvent] = [.willResignActive, .didEnterBackground]

  /// From where the service serves: listeners may put the stop off, and so may the drain delay.
  private var fromForeground: [LifecycleEvent] {
    let isAsked = hasTerminationDeciders && !isAgreed || drainDelay > .zero
    return (isAsked ? [.shouldTerminate] : []) + end(from: Self.toBackground)
  }

  private var asked: [LifecycleEvent] { hasTerminationDeciders && !isAgreed ? [.shouldTerminate] : [] }

  /// What the next run is to get is handed over when the service is in the background.
  private func end(from events: [LifecycleEvent]) -> [LifecycleEvent] {
    events + (hasStateListeners ? [.encodeState, .willTerminate] : [.willTerminate])
  }

  /// What has to be told when the start ends in this event.
  func wayOut(after event: LifecycleEvent) -> [LifecycleEvent] {
    event == .willEnterForeground || event == .didBecomeActive ? Self.toBackground + [.willTerminate] : [.willTerminate]
  }

  /// Puts the stop off for as long as listeners want, or for the drain delay.
  private mutating func putOff(_ stop: Stop, _ asked: Duration) -> [LifecycleEffect] {
    let delay = max(asked, stop.remaining.first == .willResignActive ? drainDelay : .zero)
    guard delay > .zero, mayWait else { return goOnStopping(stop.origin, stop.remaining) }
    var waiting = stop
    waiting.isWaiting = true
    phase = .stopping(waiting)
    return [.wait(delay)]
  }

  /// The wait is over, if there is one.
  mutating func waited() -> [LifecycleEffect] {
    guard case .stopping(let stop) = phase, stop.isWaiting else { return [] }
    return goOnStopping(stop.origin, stop.remaining)
  }

  /// Cancels the event on its way, and goes on when whoever is being told has returned.
  private mutating func abandon(
    _ event: LifecycleEvent, _ origin: LifecycleOrigin, _ remaining: [LifecycleEvent]
  ) -> [LifecycleEffect] {
    phase = .stopping(Stop(origin: origin, event: event, isAbandoning: true, remaining: remaining))
    return [.cancel]
  }

  /// Lets the event on its way reach everybody, since it leads where the stop leads, and goes on from there.
  private mutating func follow(_ event: LifecycleEvent, _ origin: LifecycleOrigin) -> [LifecycleEffect] {
    let remaining: [LifecycleEvent] =
      end(from: event == .willResignActive ? [.didEnterBackground] : [])
    phase = .stopping(Stop(origin: origin, event: event, isAbandoning: false, remaining: remaining))
    return []
  }

  mutating func goOnStopping(_ origin: LifecycleOrigin, _ events: [LifecycleEvent]) -> [LifecycleEffect] {
    guard let event = events.first else { return end() }
    let remaining = Array(events.dropFirst())
    let stop = Stop(origin: origin, event: event, isAbandoning: false, remaining: remaining)
    // No time left: nobody is asked any more.
    if event == .shouldTerminate, !mayWait { return goOnStopping(origin, remaining) }
    if event == .shouldTerminate, isAgreed || !hasTerminationDeciders { return putOff(stop, .zero) }
    phase = .stopping(stop)
    return [.post(event, .stop, origin)]
  }

  mutating func stopEnded(_ stop: Stop, _ outcome: TransitionOutcome) -> [LifecycleEffect] {
    // What was abandoned was asked to fail, but not to go on.
    if !stop.isAbandoning { note(stop.event, outcome) }
    let culprit = outcome.failures.first { $0.isTimeout && ($0.isRequired || stop.isLast) }
    firstFailure = firstFailure ?? culprit
    if outcome.failures.contains(where: { $0.isTimeout && $0.isRequired }) { hasTimedOut = true }
    if stop.event == .shouldTerminate { return putOff(stop, outcome.delay) }
    return goOnStopping(stop.origin, stop.remaining)
  }

  private mutating func end() -> [LifecycleEffect] {
    let status: Int32 = startFailure != nil ? 69 : hasTimedOut ? 75 : firstFailure != nil ? 70 : 0
    phase = .stopped(status)
    guard startFailure == nil, let failure = firstFailure else {
      return [.disarm, .finish(status)]
    }
    let notice = ManagerNotice(
      status: "stopped, with a failure: \(failure.summary)", errno: errnoToTell(failure))
    return [.disarm, .notify(notice), .finish(status)]
  }

  /// Whoever asked for a reload, running or waiting, is told that the stop dropped it; requests are refused.
  mutating func dropWaiting() -> [LifecycleEffect] {
    var tickets: [ReloadTicket] = []
    if case .reloading(let reload) = phase { tickets = reload.tickets }
    var effects: [LifecycleEffect] = []
    if waitingReload != nil || isReloading {
      effects = [.answer(tickets + (waitingReload?.tickets ?? []), .droppedByStop)]
    }
    if !waitingOccurrences.isEmpty { effects.append(.refuse(waitingOccurrences.map(\.ticket))) }
    waitingReload = nil
    waitingOccurrences = []
    return effects
  }

  private var isReloading: Bool {
    if case .reloading = phase { true } else { false }
  }
}
