extension LifecycleStateMachine {
  mutating func stop(_ origin: LifecycleOrigin) -> [LifecycleEffect] {
    let hastening = countSignal(origin)
    switch phase {
    case .stopping, .stopped: return hastening
    case .notStarted:
      earlyStop = earlyStop ?? origin
      return []
    case .starting, .foreground, .background, .pausing, .resuming, .reloading: break
    }
    return [.notify(ManagerNotice(.stopping, status: "stopping")), .arm(.stop)] + dropReloads() + leave(origin)
  }

  /// Signals are counted, not stops: after a stop that no signal began, the next signal is the first.
  private mutating func countSignal(_ origin: LifecycleOrigin) -> [LifecycleEffect] {
    guard case .signal(let number, _, _, _) = origin, stopSignals < 3 else { return [] }
    stopSignals += 1
    guard case .stopping = phase else { return [] }
    switch stopSignals {
    case 2: return [.notify(ManagerNotice(status: "stopping, hastened by a second signal")), .arm(.hastened), .hasten]
    case 3: return [.exitNow(128 + number.rawValue)]
    default: return []
    }
  }

  /// Out of time: who is being told is passed over, and the others share what was kept back; then it is over.
  mutating func overdueStop(_ budget: LifecycleBudget) -> [LifecycleEffect] {
    guard budget != .stop else { return [.arm(.remainder), .passOver] }
    hasTimedOut = true
    return [.abandon] + end()
  }

  /// From wherever the service is to its end.
  private mutating func leave(_ origin: LifecycleOrigin) -> [LifecycleEffect] {
    switch phase {
    case .starting(let event): return abandon(event, origin, wayOut(after: event))
    case .foreground: return goOnStopping(origin, Self.fromForeground)
    case .background: return goOnStopping(origin, [.willTerminate])
    case .pausing(let event): return follow(event, origin)
    case .resuming(let event): return abandon(event, origin, Self.fromForeground)
    case .reloading(let reload): return leave(reload, origin)
    case .notStarted, .stopping, .stopped: return []
    }
  }

  /// Before its commit a reload has changed nothing; within it, what is done is reverted; after it, it stands.
  private mutating func leave(_ reload: Reload, _ origin: LifecycleOrigin) -> [LifecycleEffect] {
    switch reload.event {
    case .willResignActive, .didEnterBackground: return follow(reload.event, origin)
    case .reload: return abandon(.reload, origin, [.revertReload, .willTerminate])
    case .revertReload: return follow(.revertReload, origin)
    case .prepareReload where !reload.fromForeground: return abandon(.prepareReload, origin, [.willTerminate])
    case .prepareReload, .willEnterForeground, .didBecomeActive:
      return abandon(reload.event, origin, Self.fromForeground)
    case .willFinishLaunching, .didFinishLaunching, .willTerminate, .didReceiveSignal: return []
    }
  }

  private static let fromForeground: [LifecycleEvent] = [.willResignActive, .didEnterBackground, .willTerminate]

  /// What has to be told when the start ends in this event.
  func wayOut(after event: LifecycleEvent) -> [LifecycleEvent] {
    event == .willEnterForeground || event == .didBecomeActive ? Self.fromForeground : [.willTerminate]
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
      event == .willResignActive ? [.didEnterBackground, .willTerminate] : [.willTerminate]
    phase = .stopping(Stop(origin: origin, event: event, isAbandoning: false, remaining: remaining))
    return []
  }

  mutating func goOnStopping(_ origin: LifecycleOrigin, _ events: [LifecycleEvent]) -> [LifecycleEffect] {
    guard let event = events.first else { return end() }
    let remaining = Array(events.dropFirst())
    phase = .stopping(Stop(origin: origin, event: event, isAbandoning: false, remaining: remaining))
    return [.post(event, .stop, origin)]
  }

  mutating func stopEnded(_ stop: Stop, _ outcome: TransitionOutcome) -> [LifecycleEffect] {
    // What was abandoned was asked to fail.
    if !stop.isAbandoning { note(stop.event, outcome) }
    if outcome.failures.contains(where: { $0.isTimeout && $0.isRequired }) { hasTimedOut = true }
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

  /// Whoever asked for a reload, running or waiting, is told that the stop dropped it.
  mutating func dropReloads() -> [LifecycleEffect] {
    defer { waitingReload = nil }
    let waiting = waitingReload?.tickets
    if case .reloading(let reload) = phase { return [.answer(reload.tickets + (waiting ?? []), .droppedByStop)] }
    return waiting.map { [.answer($0, .droppedByStop)] } ?? []
  }
}
