extension LifecycleMediator {
  /// Tells everybody of one transition, and lets it end.
  func deliver(_ transition: LifecycleTransition, isForeign: Bool) async {
    let event = transition.event
    let registrations = state.withLock { state in
      if !isForeign {
        state.trail = Self.trail(event, state.trail)
        if event == .willTerminate { state.isOver = true }
      }
      return state.list.snapshot
    }
    if event == .prepareReload { for registration in registrations { registration.forgetReload() } }
    let failures =
      event.isReversed
      ? await tell(registrations.reversed(), of: transition, isForeign)
      : await tell(registrations, of: transition, isForeign)
    let isRefused = transition.isCancelled || failures.contains(where: \.isRequired)
    if event == .reload || event == .prepareReload && isRefused {
      for registration in registrations { registration.forgetPrepared() }
    }
    if !isForeign { transition.leave(failures: failures) }
  }

  private func tell(
    _ registrations: some Sequence<Registration>, of transition: LifecycleTransition, _ isForeign: Bool
  ) async -> [ListenerFailure] {
    var failures: [ListenerFailure] = []
    for registration in registrations {
      if transition.isCancelled { break }
      guard !registration.isRemoved else { continue }
      guard isForeign || registration.admit(transition.event) else { continue }
      guard let failure = await tell(registration, transition) else { continue }
      // Who is cancelled may throw what it likes: it was asked to.
      if transition.isCancelled { break }
      failures.append(failure)
      reportFailure(failure)
      if failure.isRequired, Self.isShortCut(by: transition) { break }
    }
    return failures
  }

  /// Where the first failure of a required listener decides, nobody after it is told.
  private static func isShortCut(by transition: LifecycleTransition) -> Bool {
    switch transition.event {
    case .didFinishLaunching, .prepareReload, .reload: true
    case .willEnterForeground, .didBecomeActive: transition.reason == .start
    case .willFinishLaunching, .willResignActive, .didEnterBackground, .revertReload, .willTerminate,
      .didReceiveSignal:
      false
    }
  }

  /// Brings a newcomer to where the others are.
  func bring(_ registration: Registration) async -> ListenerFailure? {
    for event in state.withLock(\.trail) where !registration.isRemoved && registration.admit(event) {
      let transition = LifecycleTransition(
        event: event, reason: .start, origin: .embedder, reports: lifecycle?.hub)
      let failure = await tell(registration, transition)
      // Cut short by a stop, which goes on to tell it what is left to tell.
      if Task.isCancelled { return nil }
      if let failure { return failure }
    }
    return nil
  }

  /// Gives a listener that leaves its own stop.
  func retire(_ registration: Registration) async {
    for event in Registration.ownStop where registration.admit(event) {
      let transition = LifecycleTransition(
        event: event, reason: .stop, origin: .embedder, reports: lifecycle?.hub)
      reportFailure(await tell(registration, transition))
    }
  }

  private func tell(_ registration: Registration, _ transition: LifecycleTransition) async -> ListenerFailure? {
    recorder?(registration.entry.name, transition)
    return await registration.tell(transition)
  }
}
