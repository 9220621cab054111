extension LifecycleStateMachine {
  mutating func requestReload(_ origin: LifecycleOrigin, _ ticket: ReloadTicket?) -> [LifecycleEffect] {
    let tickets = ticket.map { [$0] } ?? []
    switch phase {
    case .stopping, .stopped: return refuseReload(tickets)
    case .notStarted where earlyStop != nil: return refuseReload(tickets)
    case .notStarted, .starting, .foreground, .background, .pausing, .resuming, .reloading: break
    }
    let earlier = waitingReload?.tickets ?? []
    waitingReload = WaitingReload(origin: origin, tickets: earlier + tickets)
    let effects = settle()
    return waitingReload == nil ? effects : [.remembered] + effects
  }

  private func refuseReload(_ tickets: [ReloadTicket]) -> [LifecycleEffect] {
    [.answer(tickets, .droppedByStop)]
  }

  mutating func beginReload(_ waiting: WaitingReload) -> [LifecycleEffect] {
    waitingReload = nil
    guard hasReloadListeners else {
      let status = phase == .background ? "paused, nothing to reload" : "nothing to reload"
      let notice = ManagerNotice(.reloaded, status: status, errno: errnoToTell(nil))
      return [.notify(notice), .answer(waiting.tickets, .nothingToReload(generation: generation))] + settle()
    }
    let reload = Reload(
      origin: waiting.origin, tickets: waiting.tickets, event: .prepareReload, fromForeground: phase == .foreground)
    return [.notify(ManagerNotice(.reloading, status: "reloading")), .arm(.reload)] + goOn(reload, .prepareReload)
  }

  private mutating func goOn(_ reload: Reload, _ event: LifecycleEvent) -> [LifecycleEffect] {
    var reload = reload
    reload.event = event
    phase = .reloading(reload)
    return [.post(event, .reload, reload.origin)]
  }

  mutating func reloadEnded(_ reload: Reload, _ outcome: TransitionOutcome) -> [LifecycleEffect] {
    var reload = reload
    switch reload.event {
    case .prepareReload:
      reload.failure = outcome.refusal(of: reload.event)
      if reload.failure != nil { return finish(reload) }
      note(reload.event, outcome)
      return goOn(reload, reload.fromForeground ? .willResignActive : .reload)
    case .willResignActive:
      note(reload.event, outcome)
      reload.failure = outcome.failures.first(where: \.isTimeout)
      return goOn(reload, .didEnterBackground)
    case .didEnterBackground:
      note(reload.event, outcome)
      reload.failure = reload.failure ?? outcome.failures.first(where: \.isTimeout)
      // Out of time before the commit: nothing was changed, back to the foreground.
      return reload.failure == nil ? goOn(reload, .reload) : comeBack(reload)
    case .reload:
      reload.failure = outcome.refusal(of: reload.event)
      if reload.failure != nil { return goOn(reload, .revertReload) }
      note(reload.event, outcome)
      generation += 1
      return comeBack(reload)
    case .revertReload:
      note(reload.event, outcome)
      return comeBack(reload)
    case .willEnterForeground:
      note(reload.event, outcome)
      return goOn(reload, .didBecomeActive)
    case .didBecomeActive:
      note(reload.event, outcome)
      return finish(reload)
    default: return []
    }
  }

  private mutating func comeBack(_ reload: Reload) -> [LifecycleEffect] {
    reload.fromForeground ? goOn(reload, .willEnterForeground) : finish(reload)
  }

  /// READY is sent whatever came of the reload; STATUS and ERRNO say what did.
  private mutating func finish(_ reload: Reload) -> [LifecycleEffect] {
    phase = reload.fromForeground ? .foreground : .background
    reloadFailure = reload.failure
    let outcome = reload.failure.map(ReloadAnswer.failed) ?? .reloaded(generation: generation)
    let notice = ManagerNotice(.ready, status: standingStatus, errno: errnoToTell(reload.failure))
    let saving: [LifecycleEffect] = hasStateListeners && reload.failure == nil ? [.saveState] : []
    return [.disarm, .notify(notice)] + saving + [.answer(reload.tickets, outcome)] + settle()
  }
}
