extension Registration {
  /// Whether the event concerns the listener: by its abilities, and by what it has named.
  ///
  /// - Parameter needed: the ability that the event needs.
  func isAddressed(_ transition: LifecycleTransition, needed: AbilitySet) -> Bool {
    if needed.isEmpty { return true }
    guard let able, able.abilities.isSuperset(of: needed) else { return false }
    switch needed {
    case .signals:
      guard case .signal(let number, _, _, _) = transition.origin else { return false }
      return able.signals.contains(number) || isFallback
    case .requests: return !transition.isAnswered
    case .scenes:
      guard let scene = transition.scene else { return false }
      return able.kinds.isEmpty || able.kinds.contains(scene.kind)
    default: return true
    }
  }

  /// Tells the listener; the failure is what it threw.
  ///
  /// - Parameter isForeign: somebody else's post, which changes nothing of what is remembered here.
  func tell(_ transition: LifecycleTransition, isForeign: Bool, by mediator: LifecycleMediator) async
    -> ListenerFailure?
  {
    do {
      switch content {
      case .plain(let listener): try await Self.tell(listener, transition)
      case .synchronous(let listener): try listener.handle(transition)
      case .able(let able): try await tell(able, transition, isForeign)
      case .particular(let particulars): try await tell(particulars, transition, isForeign, mediator)
      }
      return nil
    } catch {
      return failed(error, transition, isForeign)
    }
  }

  func failed(_ error: any Error, _ transition: LifecycleTransition, _ isForeign: Bool) -> ListenerFailure {
    if !isForeign {
      if transition.event == .didFinishLaunching { markFailed() }
      if transition.event == .willFinishLaunching, listener == nil { markUnmade() }
    }
    return ListenerFailure(listener: name, event: transition.event, isRequired: isRequired, error: error)
  }

  private func tell(
    _ particulars: Particulars, _ transition: LifecycleTransition, _ isForeign: Bool, _ mediator: LifecycleMediator
  ) async throws {
    switch particulars.content {
    case .plain(let listener): try await Self.tell(listener, transition)
    case .synchronous(let listener): try listener.handle(transition)
    case .able(let able): try await tell(able, transition, isForeign)
    case .made:
      if transition.event == .willFinishLaunching, !isForeign,
        let able = try await particulars.make(transition.context), !isRemoved
      {
        mediator.count(able.abilities, 1)
        mediator.claim(able.signals)
      }
      if let able = particulars.able { try await tell(able, transition, isForeign) }
    }
  }

  private func tell(_ able: AbleListener, _ transition: LifecycleTransition, _ isForeign: Bool) async throws {
    switch transition.event {
    case .willFinishLaunching, .didFinishLaunching, .willEnterForeground, .didBecomeActive, .willResignActive,
      .didEnterBackground:
      try await tellCore(able, transition)
    case .willTerminate:
      if !isForeign { await able.endRun() }
      try await tellCore(able, transition)
    case .prepareReload, .reload, .revertReload:
      try await isForeign ? able.foreignReload(transition) : able.reload(transition)
    default: try await able.tell(transition)
    }
  }

  private func tellCore(_ able: AbleListener, _ transition: LifecycleTransition) async throws {
    if let synchronous = able.synchronous {
      try synchronous.handle(transition)
    } else {
      try await Self.tell(able.listener, transition)
    }
  }

  /// Its start has returned in its time: what lasts begins.
  func beginRun(_ mediator: LifecycleMediator) {
    guard let able, able.abilities.contains(.running), currentPhase == .started else { return }
    let (name, isRequired) = (name, isRequired)
    able.beginRun(on: mediator.lifecycle?.beside) { [weak mediator] error in
      var failure = ListenerFailure(
        listener: name, event: .didFinishLaunching, isRequired: isRequired, message: "run() ended early")
      if let error {
        failure = ListenerFailure(listener: name, event: .didFinishLaunching, isRequired: isRequired, error: error)
      }
      mediator?.lifecycle?.runEnded(failure)
    }
  }

  static func tell(_ listener: any LifecycleListener, _ transition: LifecycleTransition) async throws {
    switch transition.event {
    case .willFinishLaunching: try await listener.willFinishLaunching(transition)
    case .didFinishLaunching: try await listener.didFinishLaunching(transition)
    case .willEnterForeground: try await listener.willEnterForeground(transition)
    case .didBecomeActive: try await listener.didBecomeActive(transition)
    case .willResignActive: try await listener.willResignActive(transition)
    case .didEnterBackground: try await listener.didEnterBackground(transition)
    case .willTerminate: try await listener.willTerminate(transition)
    default: break
    }
  }
}
