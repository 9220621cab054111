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
    guard case .stopping(var stop) = phase else { return [] }
    isOutOfTime = true
    if budget == .stop || budget == .hastened {
      mayWait = false
      let effects = waited()
      return [.arm(.remainder)] + (effects.isEmpty ? [.passOver] : effects)
    }
    hasTimedOut = true
    if budget == .last {
      // Not even that came to an end: what is known is the event.
      culprit = culprit ?? .timeout("a listener", stop.event, isRequired: true)
    }
    guard !stop.isWaiting, budget != .last else { return end() }
    stop.isLast = true
    stop.remaining = []
    phase = .stopping(stop)
    return [.arm(.last), .abandon]
  }

  /// From wherever the service is to its end.
  mutating func leave(_ origin: LifecycleOrigin) -> [LifecycleEffect] {
    switch phase {
    case .starting(let event): return abandon(event, origin, wayOut(after: event))
    case .foreground: return goOnStopping(origin, asked(drains: true) + end(from: Self.toBackground), drains: true)
    case .background: return goOnStopping(origin, asked(drains: false) + end(from: []))
    case .pausing(let event): return follow(event, origin, followed: Self.rest(of: event))
    case .resuming(let event): return abandon(event, origin, end(from: Self.toBackground))
    case .reloading(let reload): return leave(reload, origin)
    case .notStarted, .stopping, .stopped: return []
    }
  }

  /// Before its commit a reload has changed nothing; within it, what is done is reverted; after it, it stands.
  ///
  /// All through it the service takes work, if it did before.
  private mutating func leave(_ reload: Reload, _ origin: LifecycleOrigin) -> [LifecycleEffect] {
    let drains = reload.fromForeground
    let asked = asked(drains: drains)
    switch reload.event {
    case .willResignActive, .didEnterBackground:
      return follow(reload.event, origin, followed: Self.rest(of: reload.event) + asked, drains: drains)
    case .reload: return abandon(.reload, origin, [.revertReload] + asked + end(from: []), drains: drains)
    case .revertReload: return follow(.revertReload, origin, followed: asked, drains: drains)
    case .prepareReload where !drains: return abandon(.prepareReload, origin, asked + end(from: []))
    case .prepareReload, .willEnterForeground, .didBecomeActive:
      return abandon(reload.event, origin, asked + end(from: Self.toBackground), drains: drains)
    default: return []
    }
  }

  private static let toBackground: [LifecycleEvent] = [.willResignActive, .didEnterBackground]

  private static func rest(of event: LifecycleEvent) -> [LifecycleEvent] {
    event == .willResignActive ? [.didEnterBackground] : []
  }

  /// Listeners may put the stop off, and so may the drain delay of a service that takes work.
  private func asked(drains: Bool) -> [LifecycleEvent] {
    hasTerminationDeciders && !isAgreed || drains && drainDelay > .zero ? [.shouldTerminate] : []
  }

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
    let delay = max(asked, stop.drains ? drainDelay : .zero)
    guard delay > .zero, mayWait else { return goOnStopping(stop.origin, stop.remaining, drains: stop.drains) }
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
    _ event: LifecycleEvent, _ origin: LifecycleOrigin, _ remaining: [LifecycleEvent], drains: Bool = false
  ) -> [LifecycleEffect] {
    phase = .stopping(
      Stop(origin: origin, event: event, isAbandoning: true, remaining: remaining, drains: drains, isInherited: true))
    return [.cancel]
  }

  /// Lets the event on its way reach everybody, since it leads where the stop leads, and goes on from there.
  private mutating func follow(
    _ event: LifecycleEvent, _ origin: LifecycleOrigin, followed: [LifecycleEvent], drains: Bool = false
  ) -> [LifecycleEffect] {
    phase = .stopping(
      Stop(
        origin: origin, event: event, isAbandoning: false, remaining: followed + end(from: []), drains: drains,
        isInherited: true))
    return []
  }

  mutating func goOnStopping(
    _ origin: LifecycleOrigin, _ events: [LifecycleEvent], drains: Bool = false
  ) -> [LifecycleEffect] {
    guard let event = events.first else { return end() }
    let remaining = Array(events.dropFirst())
    let stop = Stop(origin: origin, event: event, isAbandoning: false, remaining: remaining, drains: drains)
    // No time left: nobody is asked any more.
    if event == .shouldTerminate, !mayWait { return goOnStopping(origin, remaining, drains: drains) }
    if event == .shouldTerminate, isAgreed || !hasTerminationDeciders { return putOff(stop, .zero) }
    phase = .stopping(stop)
    return [.post(event, .stop, origin)]
  }

  mutating func stopEnded(_ stop: Stop, _ outcome: TransitionOutcome) -> [LifecycleEffect] {
    // What was abandoned was asked to fail, but not to go on.
    if !stop.isAbandoning { note(stop.event, outcome) }
    // What happened before the stop is no fault of the stop.
    if isOutOfTime || !stop.isInherited { noteTimeouts(outcome, stop) }
    if stop.event == .shouldTerminate { return putOff(stop, outcome.delay) }
    return goOnStopping(stop.origin, stop.remaining, drains: stop.drains)
  }

  /// Of several the last one counts: it held up what came after it.
  private mutating func noteTimeouts(_ outcome: TransitionOutcome, _ stop: Stop) {
    let timeouts = outcome.failures.filter(\.isTimeout)
    if let required = timeouts.last(where: \.isRequired) {
      hasTimedOut = true
      culprit = culprit ?? required
    } else if stop.isLast {
      culprit = culprit ?? timeouts.last
    }
  }

  private mutating func end() -> [LifecycleEffect] {
    let status: Int32 = startFailure != nil ? 69 : hasTimedOut ? 75 : firstFailure != nil ? 70 : 0
    let worst = (hasTimedOut ? culprit : nil) ?? firstFailure
    phase = .stopped(status)
    guard startFailure == nil, let worst else { return [.disarm, .finish(status)] }
    let notice = ManagerNotice(status: "stopped, with a failure: \(worst.summary)", errno: errnoToTell(worst))
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
