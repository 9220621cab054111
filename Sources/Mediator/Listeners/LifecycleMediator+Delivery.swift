extension LifecycleMediator {
  func makeWalk(_ work: Work, done: @escaping @Sendable () -> Void) -> Walk {
    switch work {
    case .deliver(let transition, let isForeign): delivery(of: transition, isForeign, done)
    case .bring(let registration, let brought): arrival(of: registration, brought, done)
    case .retire(let registration, let retired): retirement(of: registration, retired, done)
    }
  }

  /// Tells everybody of one transition, and lets it end.
  private func delivery(
    of transition: LifecycleTransition, _ isForeign: Bool, _ done: @escaping @Sendable () -> Void
  ) -> Walk {
    let event = transition.event
    let registrations = state.withLock { state in
      if !isForeign {
        state.trail = Self.trail(event, state.trail)
        if event == .willTerminate { state.isOver = true }
      }
      return state.list.snapshot
    }
    if event == .prepareReload, !isForeign { for registration in registrations { registration.forgetReload() } }
    let steps = registrations.map { Walk.Step(registration: $0, transition: transition) }
    return Walk(event.isReversed ? steps.reversed() : steps, isForeign: isForeign, mediator: self) { failures in
      let isRefused = transition.isCancelled || failures.contains(where: \.isRequired)
      if !isForeign, event == .reload || event == .prepareReload && isRefused {
        for registration in registrations { _ = registration.takePrepared() }
      }
      if !isForeign { transition.leave(failures: failures) }
      done()
    }
  }

  /// Where the first failure of a required listener decides, nobody after it is told.
  static func isShortCut(by transition: LifecycleTransition) -> Bool {
    switch transition.event {
    case .didFinishLaunching, .prepareReload, .reload: true
    case .willEnterForeground, .didBecomeActive: transition.reason == .start
    case .willFinishLaunching, .willResignActive, .didEnterBackground, .revertReload, .willTerminate,
      .didReceiveSignal:
      false
    }
  }

  /// Brings a newcomer to where the others are.
  private func arrival(
    of registration: Registration, _ brought: @escaping @Sendable (ListenerFailure?) -> Void,
    _ done: @escaping @Sendable () -> Void
  ) -> Walk {
    let steps = state.withLock(\.trail).map { event in
      Walk.Step(registration: registration, transition: own(event, .start))
    }
    return Walk(steps, endsAtFailure: true, mediator: self) { failures in
      brought(failures.first)
      done()
    }
  }

  /// Gives a listener that leaves its own stop.
  private func retirement(
    of registration: Registration, _ retired: @escaping @Sendable () -> Void, _ done: @escaping @Sendable () -> Void
  ) -> Walk {
    let steps = Registration.ownStop.map { Walk.Step(registration: registration, transition: own($0, .stop)) }
    return Walk(steps, isRetirement: true, mediator: self) { _ in
      retired()
      done()
    }
  }

  private func own(_ event: LifecycleEvent, _ reason: LifecycleReason) -> LifecycleTransition {
    let transition = LifecycleTransition(event: event, reason: reason, origin: .embedder, reports: lifecycle?.hub)
    // It is not posted: a deferral would be one that nobody waits for.
    transition.endPost()
    return transition
  }

  func cancelNewcomer() {
    guard let (walk, transition) = state.withLock(\.walk), transition == nil, walk.isArrival else { return }
    walk.cancel()
  }

  func tell(
    _ registration: Registration, _ transition: LifecycleTransition, isForeign: Bool
  ) async -> ListenerFailure? {
    recorder?(registration.entry.name, transition)
    return await registration.tell(transition, isForeign: isForeign)
  }
}
