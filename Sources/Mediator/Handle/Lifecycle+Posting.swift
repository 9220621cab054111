internal import Foundation

extension Lifecycle {
  /// Posts an event that moves the lifecycle, with the scenes: they leave the foreground before everybody else, and
  /// come back after.
  func move(_ event: LifecycleEvent, _ reason: LifecycleReason, _ origin: LifecycleOrigin) {
    var detail = TransitionDetail.none
    if event == .restoreState { detail = .savedStates(core.withLock({ $0.savedStates })) }
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
    guard let performer = core.withLock({ $0.performer }) else { return nil }
    let (began, trace) = (performer.now, trace)
    let transition = makeTransition(event, reason, origin, detail, isAside: isAside, at: began) {
      [self] serial, outcome in
      let open = core.withLock { $0.openTransitions.removeValue(forKey: serial) }
      guard let open else { return }
      let now = performer.now
      if let traced = open.traced { trace?.end(traced, .init(outcome), at: now) }
      let duration = began.duration(to: now)
      hub.send(
        .eventEnded(event, reason, serial: serial, duration: duration, wasCancelled: outcome.wasCancelled))
      ended(open.transition, outcome)
    }
    if let trace {
      let traced = trace.begin(.event(event, reason, origin), serial: transition.serial, at: began)
      core.withLock { $0.openTransitions[transition.serial]?.traced = traced }
    }
    hub.send(.eventBegan(event, reason, origin, serial: transition.serial))
    let deliver: @Sendable () -> Void = { [self] in
      performer.deliver {
        transition.beginPost(at: performer.now)
        if let center = performer.center {
          self.posting.withLock { $0 = transition }
          center.post(
            name: event.notificationName, object: object, userInfo: [LifecycleTransition.userInfoKey: transition])
          self.posting.withLock { $0 = nil }
        } else {
          for mediator in self.mediators { mediator.receive(transition) }
        }
        transition.endPost(at: performer.now)
      }
    }
    if !transition.hasBudget, let limit = timeouts.call { lookAtCalls(at: began + limit) }
    if let scenesInput { moveScenes(scenesInput, with: transition, deliver) } else { deliver() }
    return transition
  }

  /// - Parameter completed: gets its serial, and what came of it.
  private func makeTransition(
    _ event: LifecycleEvent, _ reason: LifecycleReason, _ origin: LifecycleOrigin, _ detail: TransitionDetail,
    isAside: Bool, at began: ContinuousClock.Instant,
    completed: @escaping @Sendable (UInt64, TransitionOutcome) -> Void
  ) -> LifecycleTransition {
    core.withLock { core in
      core.serial += 1
      let serial = core.serial
      let isPart = core.limit.isArmed && !isAside && !event.isOccurrence && !event.isOfScene
      let callLimit = isPart ? nil : core.timeouts.call
      let transition = LifecycleTransition(
        event: event, reason: reason, origin: origin, serial: serial, detail: detail,
        deadline: isPart ? core.limit.deadline : nil, hasBudget: isPart, context: context, reports: hub
      ) { completed(serial, $0) }
      // How long it counts as turning: a call may take twice its limit.
      core.openTransitions[serial] = OpenTransition(
        transition: transition, deadline: isPart ? core.limit.deadline : began + (callLimit ?? .zero) * 2,
        callsDue: callLimit.map { began + $0 })
      return transition
    }
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
