extension Lifecycle {
  /// Connects a scene, and returns when everybody was told; in the foreground, when it takes work.
  ///
  /// During the start it waits for the end of it. Called from inside a listener's callback it returns without waiting,
  /// and the scene connects after the event that is under way, or after the start.
  ///
  /// - Parameters:
  ///   - id: its name, which no other connected scene has.
  ///   - kind: chooses the listeners: `ListenerEntry.scenes(_:_:)` and `SceneListener.kinds`.
  /// - Throws: `.scene` when nobody listens to the kind, the identifier is taken or a required listener refuses it;
  ///   `.stateUnreachable` when the lifecycle does not run, or stops.
  @discardableResult
  public func connect(scene id: String, kind: String) async throws(LifecycleError) -> LifecycleScene {
    guard mediators.contains(where: { $0.listens(toScenesOf: kind) }) else {
      throw LifecycleError(
        .scene, message: "nobody listens to scenes of the kind '\(kind)'",
        advice: "add a SceneListener for it, or .scenes(\"\(kind)\") { … }, to the listeners")
    }
    let state = state
    guard state != .stopping, state != .stopped, state != .notStarted else {
      throw LifecycleError(
        .stateUnreachable, message: "no scene connects while the lifecycle is in '\(state.rawValue)'",
        advice: state == .notStarted ? "connect it in didBecomeActive" : "treat it as the end of the service")
    }
    let isInCallback = mediators.contains(where: \.isTelling)
    if state == .starting, !isInCallback { try await self.state(.foreground) }
    let made: LifecycleScene? = core.withLock { core in
      guard core.scenes[id] == nil, core.machine.state.isServing || core.machine.state == .starting else { return nil }
      let scene = LifecycleScene(id: id, kind: kind, lifecycle: self, serves: core.scenesServe)
      core.scenes[id] = scene
      core.sceneOrder.append(id)
      return scene
    }
    guard let scene = made else {
      if self.state == .stopping || self.state == .stopped { try await self.state(.foreground) }
      throw LifecycleError(
        .scene, message: "a scene '\(id)' is connected already", advice: "disconnect it first, or choose another name")
    }
    if isInCallback {
      let isEarly = core.withLock { core in
        guard core.machine.state == .starting else { return false }
        core.earlyScenes.append(scene)
        return true
      }
      if !isEarly { scene.submit(.connect) }
      return scene
    }
    await scene.ask(.connect)
    guard let refusal = scene.core.withLock({ $0.machine.refusal }) else { return scene }
    throw LifecycleError(
      .scene, listener: refusal.listener, message: refusal.message, advice: "mend the cause and connect it again",
      errno: refusal.errno)
  }

  /// The scenes that are connected, in the order in which they came.
  public var scenes: [LifecycleScene] { core.withLock { core in core.sceneOrder.compactMap { core.scenes[$0] } } }

  func note(_ scene: LifecycleScene, isOnItsWay: Bool) {
    core.withLock { $0.movingScenes[ObjectIdentifier(scene)] = isOnItsWay ? scene : nil }
  }

  func forget(_ scene: LifecycleScene) {
    let isRefused = scene.core.withLock { $0.machine.refusal != nil }
    let (isLast, policy) = core.withLock { core in
      guard core.scenes[scene.id] === scene else { return (false, core.idleExit) }
      core.scenes[scene.id] = nil
      core.sceneOrder.removeAll { $0 == scene.id }
      // One that was refused never was there.
      return (core.scenes.isEmpty && !isRefused, core.idleExit)
    }
    if isLast { lastSceneHasGone(policy) }
  }

  /// One event of a scene, as a transition with a serial number of the lifecycle's.
  func post(
    _ event: LifecycleScene.Event, of scene: LifecycleScene,
    _ ended: @escaping @Sendable (TransitionOutcome) -> Void
  ) -> LifecycleTransition? {
    let reason = core.withLock({ $0.machine.currentReason })
    return post(
      event.lifecycleEvent, reason, .scene(scene.id), detail: .scene(scene, event), object: scene
    ) { _, outcome in ended(outcome) }
  }

  /// Brings every scene to where the lifecycle goes, the newest first, and then calls back.
  ///
  /// - Parameter transition: what is asked of it counts for the scenes' transitions, too.
  func moveScenes(
    _ input: SceneStateMachine.Input, with transition: LifecycleTransition?, _ done: @escaping @Sendable () -> Void
  ) {
    let connected = scenes
    let others = core.withLock { core in core.movingScenes.values.filter { core.scenes[$0.id] !== $0 } }
    let scenes = others + connected
    if scenes.isEmpty { return done() }
    transition?.onControl { control in
      for scene in scenes { scene.core.withLock({ $0.current })?.apply(control) }
    }
    let open = Locked(scenes.count)
    for scene in scenes.reversed() {
      scene.core.withLock { $0.leading = transition }
      scene.submit(input) {
        scene.core.withLock { if $0.leading === transition { $0.leading = nil } }
        let isLast = open.withLock { open in
          open -= 1
          return open == 0
        }
        if isLast { done() }
      }
    }
  }
}

extension LifecycleMediator {
  func listens(toScenesOf kind: String) -> Bool {
    state.withLock({ $0.list }).all.contains { registration in
      guard let able = registration.able, able.abilities.contains(.scenes) else { return false }
      return able.kinds.isEmpty || able.kinds.contains(kind)
    }
  }
}
