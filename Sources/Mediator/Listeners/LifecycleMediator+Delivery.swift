extension LifecycleMediator {
  func makeWalk(_ work: Work) -> Walk {
    switch work {
    case .deliver(let transition, let isForeign): delivery(of: transition, isForeign)
    case .bring(let registrations, let brought): arrival(of: registrations, brought)
    case .retire(let registrations, let retired): retirement(of: registrations, retired)
    }
  }

  /// Tells everybody of one transition, and lets it end.
  private func delivery(of transition: LifecycleTransition, _ isForeign: Bool) -> Walk {
    let event = transition.event
    let slots = state.withLock { state in
      if !isForeign {
        state.trail = Self.trail(event, state.trail)
        if event == .willTerminate { state.isOver = true }
      }
      return state.list.slots
    }
    if event == .prepareReload, !isForeign { for registration in slots { registration?.able?.forgetReload() } }
    let steps = WalkSteps(Self.order(slots, for: transition), transition)
    if isForeign { return Walk(steps, Walk.Kind(isForeign: true), mediator: self, done: nil) }
    return Walk(steps, Walk.Kind(), mediator: self) { outcome in
      let failures = outcome.failures
      let isRefused = transition.isCancelled || outcome.isCutShort || failures.contains(where: \.isRequired)
      if event == .reload || event == .prepareReload && isRefused {
        for registration in slots { _ = registration?.able?.takePrepared() }
      }
      transition.leave(failures: failures, isCutShort: outcome.isCutShort)
    }
  }

  /// Fallbacks come last, and of a signal only when nobody else names it.
  private static func order(_ slots: [Registration?], for transition: LifecycleTransition) -> [Registration?] {
    let event = transition.event
    guard event == .didReceiveRequest || event == .didReceiveSignal else { return slots }
    let all = slots.compactMap(\.self)
    let fallbacks = all.filter(\.isFallback)
    if fallbacks.isEmpty { return slots }
    let others = all.filter { !$0.isFallback }
    if event == .didReceiveRequest { return others + fallbacks }
    let named = others.filter { $0.isAddressed(transition, needed: .signals) }
    return named.isEmpty ? fallbacks : named
  }

  /// Brings newcomers to where the others are.
  private func arrival(
    of registrations: [Registration], _ brought: @escaping @Sendable (ListenerFailure?) -> Void
  ) -> Walk {
    let transitions = state.withLock({ $0.trail }).map { own($0, .start) }
    let steps = WalkSteps(registrations, transitions)
    return Walk(steps, Walk.Kind(isArrival: true), mediator: self) { [weak self] outcome in
      let failures = outcome.failures
      // What a group contains degrades the service; what it cannot contain is the newcomer's failure, and nobody else's.
      if !outcome.hasFailed { for failure in failures { self?.lifecycle?.submit(.failed(failure)) } }
      brought(outcome.hasFailed ? failures.first(where: \.isRequired) ?? failures.last : nil)
    }
  }

  /// Gives listeners that leave their own stop.
  private func retirement(of registrations: [Registration], _ retired: @escaping @Sendable () -> Void) -> Walk {
    let steps = WalkSteps(registrations, Registration.ownStop.map { own($0, .stop) })
    return Walk(steps, Walk.Kind(isRetirement: true), mediator: self) { _ in retired() }
  }

  private func own(_ event: LifecycleEvent, _ reason: LifecycleReason) -> LifecycleTransition {
    LifecycleTransition(
      event: event, reason: reason, origin: .embedder, context: lifecycle?.context, reports: lifecycle?.hub,
      isPosted: true)
  }

  func cancelNewcomer() {
    guard let (walk, transition) = state.withLock({ $0.walk }), transition == nil, walk.kind.isArrival else { return }
    walk.cancel()
  }

  /// Whether each call is measured.
  var isWatched: Bool { state.withLock({ $0.measuresDurations }) || lifecycle?.trace != nil }

  func tell(
    _ registration: Registration, _ transition: LifecycleTransition, isForeign: Bool
  ) async -> ListenerFailure? {
    recorder?(registration.name, transition)
    guard state.withLock({ $0.measuresDurations }), let began = lifecycle?.now else {
      return await registration.tell(transition, isForeign: isForeign, by: self)
    }
    let failure = await registration.tell(transition, isForeign: isForeign, by: self)
    if let ended = lifecycle?.now {
      state.withLock { $0.durations[registration.number, default: [:]][transition.event] = began.duration(to: ended) }
    }
    return failure
  }
}
