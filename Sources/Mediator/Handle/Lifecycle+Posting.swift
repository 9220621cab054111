internal import Foundation

extension Lifecycle {
  /// Posts an event that moves the lifecycle, with the scenes: they leave the foreground before everybody else, and
  /// come back after.
  func move(_ event: LifecycleEvent, _ reason: LifecycleReason, _ origin: LifecycleOrigin) {
    var detail = TransitionDetail.none
    if event == .restoreState { detail = .savedStates(core.withLock(\.savedStates)) }
    let scenesInput = Self.scenesBefore(event, reason)
    if scenesInput != nil { core.withLock { $0.scenesServe = false } }
    let transition = post(event, reason, origin, detail: detail, object: self, after: scenesInput) {
      [self] transition, outcome in
      if event == .encodeState { keepState(of: transition) { _ in } }
      if event == .restoreState, !outcome.wasCancelled { dropUnclaimedStates(of: transition) }
      submit(.ended(event, outcome))
    }
    // A signal comes beside what is on its way, and moves nothing.
    if event == .didReceiveSignal { return }
    core.withLock { core in
      core.current = transition
      // A reload leaves everybody where they are.
      switch event {
      case .prepareReload, .reload, .revertReload, .restoreState, .encodeState, .shouldTerminate: break
      default: core.newestEvent = event
      }
    }
  }

  private static func scenesBefore(_ event: LifecycleEvent, _ reason: LifecycleReason) -> SceneStateMachine.Input? {
    switch event {
    case .willResignActive where !reason.keepsServing: .lifecycleServes(false)
    case .willTerminate: .disconnect
    default: nil
    }
  }

  /// Posts an occurrence, with what goes with it.
  func post(
    _ event: LifecycleEvent, _ reason: LifecycleReason, _ origin: LifecycleOrigin, _ ticket: OccurrenceTicket
  ) {
    guard let occurrence = core.withLock({ $0.occurrences.removeValue(forKey: ticket) }) else { return }
    post(event, reason, origin, detail: occurrence.detail, object: self, isAside: true) { [self] transition, outcome in
      // The others are not what the machine waits for, though they bear the same names.
      if event.isOccurrence { submit(.ended(event, outcome)) }
      occurrence.ended?(transition)
    }
  }

  func refuse(_ ticket: OccurrenceTicket) {
    let occurrence = core.withLock { $0.occurrences.removeValue(forKey: ticket) }
    occurrence?.ended?(nil)
  }

  /// - Parameters:
  ///   - object: of the notification: the lifecycle, or a scene.
  ///   - isAside: it is no part of the start, reload or stop on its way, and has no part in its time.
  ///   - scenesInput: what every scene is asked first.
  ///   - ended: gets what came of it, when everybody has finished.
  /// - Returns: nil when the lifecycle is over.
  @discardableResult
  func post(
    _ event: LifecycleEvent, _ reason: LifecycleReason, _ origin: LifecycleOrigin, detail: TransitionDetail,
    object: any Sendable & AnyObject, isAside: Bool = false, after scenesInput: SceneStateMachine.Input? = nil,
    ended: @escaping @Sendable (LifecycleTransition, TransitionOutcome) -> Void
  ) -> LifecycleTransition? {
    guard let performer = core.withLock(\.performer) else { return nil }
    let began = performer.now
    let (serial, deadline, callLimit, isPart) = core.withLock { core in
      core.serial += 1
      let isPart = core.limit.isArmed && !isAside && !event.isOccurrence && !event.isOfScene
      let deadline = isPart ? core.limit.deadline : nil
      let callLimit = isPart ? nil : core.timeouts.call
      // How long it counts as turning: a call may take twice its limit.
      core.openTransitions[core.serial] = .some(isPart ? deadline : began + (callLimit ?? .zero) * 2)
      return (core.serial, deadline, callLimit, isPart)
    }
    let trace = trace
    let traced = trace?.begin(.event(event, reason, origin), serial: serial, at: began)
    let guarding = Locked<(any LifecycleTimer)?>(nil)
    let own = Locked<LifecycleTransition?>(nil)
    let transition = LifecycleTransition(
      event: event, reason: reason, origin: origin, serial: serial, detail: detail, deadline: deadline,
      hasBudget: isPart, context: context, reports: hub
    ) { [self] outcome in
      guarding.withLock(\.self)?.cancel()
      core.withLock { _ = $0.openTransitions.removeValue(forKey: serial) }
      let transition = own.withLock { own in
        defer { own = nil }
        return own
      }
      let now = performer.now
      if let traced { trace?.end(traced, .init(outcome), at: now) }
      let duration = began.duration(to: now)
      hub.send(
        .eventEnded(event, reason, serial: serial, duration: duration, wasCancelled: outcome.wasCancelled))
      if let transition { ended(transition, outcome) }
    }
    own.withLock { $0 = transition }
    hub.send(.eventBegan(event, reason, origin, serial: serial))
    let deliver: @Sendable () -> Void = {
      performer.deliver {
        transition.beginPost()
        if let callLimit { self.guardObservers(of: transition, callLimit, guarding, performer) }
        if let center = performer.center {
          center.post(
            name: event.notificationName, object: object, userInfo: [LifecycleTransition.userInfoKey: transition])
        } else {
          for mediator in self.mediators { mediator.receive(transition) }
        }
        transition.endPost()
      }
    }
    if let scenesInput { moveScenes(scenesInput, with: transition, deliver) } else { deliver() }
    return transition
  }

  /// Where no limit of a start, reload or stop counts, plain observers have that of one call: for their blocks, and for
  /// the deferrals that they took. Listeners have theirs in the walk.
  private func guardObservers(
    of transition: LifecycleTransition, _ limit: Duration, _ guarding: Locked<(any LifecycleTimer)?>,
    _ performer: any LifecyclePerformer
  ) {
    let timer = performer.timer(after: limit) { [weak self, weak transition] in
      guard let transition else { return }
      transition.passOverDeferrals()
      guard transition.isPosting else { return }
      self?.abandonPost(of: transition)
    }
    guarding.withLock { $0 = timer }
    if transition.isEnded { timer.cancel() }
  }

  /// The state has changed.
  func arrived(in state: LifecycleState, from before: LifecycleState) {
    switch state {
    case .foreground:
      // A pause that was remembered has begun already.
      let (early, serves) = core.withLock { core in
        core.scenesServe = core.machine.phase == .foreground
        defer { core.earlyScenes = [] }
        return (core.earlyScenes, core.scenesServe)
      }
      if serves { moveScenes(.lifecycleServes(true), with: nil) {} }
      for scene in early {
        scene.submit(.lifecycleServes(serves))
        scene.submit(.connect)
      }
      for scene in early { scene.submit(.connect) }
      updateStatus()
      // A reload is nobody's use of the service.
      if before != .reloading { restartIdleTimer() }
    case .background: updateStatus()
    case .notStarted, .starting, .reloading, .stopping, .stopped: break
    }
  }
}
