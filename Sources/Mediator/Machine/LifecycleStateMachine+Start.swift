extension LifecycleStateMachine {
  mutating func run() -> [LifecycleEffect] {
    guard phase == .notStarted else { return [] }
    if earlyStop != nil {
      phase = .stopped(0)
      return [.notify(ManagerNotice(.stopping, status: "stopping"))] + dropReloads() + [.finish(0)]
    }
    phase = .starting(.willFinishLaunching)
    return [.notify(ManagerNotice(status: "starting")), .arm(.start), .post(.willFinishLaunching, .start, .embedder)]
  }

  mutating func startEnded(_ event: LifecycleEvent, _ outcome: TransitionOutcome) -> [LifecycleEffect] {
    if let failure = outcome.refusal(of: event) { return failStart(failure, during: event) }
    note(event, outcome)
    switch event {
    case .willFinishLaunching: return goOnStarting(.didFinishLaunching)
    case .didFinishLaunching: return goOnStarting(.willEnterForeground)
    case .willEnterForeground: return goOnStarting(.didBecomeActive)
    case .didBecomeActive:
      phase = .foreground
      return [.disarm, .notify(ManagerNotice(.ready, status: standingStatus))] + settle()
    case .willResignActive, .didEnterBackground, .prepareReload, .reload, .revertReload, .willTerminate,
      .didReceiveSignal:
      return []
    }
  }

  private mutating func goOnStarting(_ event: LifecycleEvent) -> [LifecycleEffect] {
    phase = .starting(event)
    return [.post(event, .start, .embedder)]
  }

  /// Undoes what began, in reverse; the exit status is 69 whatever the undoing says.
  private mutating func failStart(_ failure: ListenerFailure, during event: LifecycleEvent) -> [LifecycleEffect] {
    startFailure = failure
    let notice = ManagerNotice(
      .stopping, status: "start failed: \(failure.summary)", errno: errnoToTell(failure))
    return [.notify(notice), .arm(.stop)] + dropReloads() + goOnStopping(.embedder, wayOut(after: event))
  }
}
