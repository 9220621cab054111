extension LifecycleStateMachine {
  mutating func stop(_ origin: LifecycleOrigin) -> [LifecycleEffect] {
    switch phase {
    case .stopping, .stopped: return []
    case .notStarted:
      earlyStop = earlyStop ?? origin
      return []
    case .starting, .foreground, .background, .pausing, .resuming, .reloading: break
    }
    return [.notify(ManagerNotice(.stopping, status: "stopping"))] + dropReloads() + leave(origin)
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
    if !stop.isAbandoning { note(outcome) }
    return goOnStopping(stop.origin, stop.remaining)
  }

  private mutating func end() -> [LifecycleEffect] {
    let status: Int32 = startFailure != nil ? 69 : hasFailed ? 70 : 0
    phase = .stopped(status)
    guard startFailure == nil, hasFailed, let failure = degraded.first(where: \.isRequired) else {
      return [.finish(status)]
    }
    let notice = ManagerNotice(
      status: "stopped, with a failure: \(failure.summary)", errno: errnoToTell(failure))
    return [.notify(notice), .finish(status)]
  }

  /// Whoever asked for a reload, running or waiting, is told that the stop dropped it.
  mutating func dropReloads() -> [LifecycleEffect] {
    defer { waitingReload = nil }
    let waiting = waitingReload?.tickets
    if case .reloading(let reload) = phase { return [.answer(reload.tickets + (waiting ?? []), .droppedByStop)] }
    return waiting.map { [.answer($0, .droppedByStop)] } ?? []
  }
}
