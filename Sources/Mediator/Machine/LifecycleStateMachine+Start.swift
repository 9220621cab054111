extension LifecycleStateMachine {
  mutating func run() -> [LifecycleEffect] {
    guard phase == .notStarted else { return [] }
    if earlyStop != nil {
      phase = .stopped(0)
      return [.notify(ManagerNotice(.stopping, status: "stopping"))] + dropWaiting() + [.finish(0)]
    }
    phase = .starting(.willFinishLaunching)
    return [.notify(ManagerNotice(status: "starting")), .arm(.start), .post(.willFinishLaunching, .start, .embedder)]
  }

  mutating func startEnded(_ event: LifecycleEvent, _ outcome: TransitionOutcome) -> [LifecycleEffect] {
    if event != .restoreState, let failure = outcome.refusal(of: event) { return failStart(failure, during: event) }
    note(event, outcome)
    switch event {
    case .willFinishLaunching:
      return goOnStarting(hasSavedState && hasStateListeners ? .restoreState : .didFinishLaunching)
    case .restoreState: return goOnStarting(.didFinishLaunching)
    case .didFinishLaunching: return goOnStarting(.willEnterForeground)
    case .willEnterForeground: return goOnStarting(.didBecomeActive)
    case .didBecomeActive:
      phase = .foreground
      return [.disarm, .notify(ManagerNotice(.ready, status: standingStatus))] + offerWaiting() + settle()
    default: return []
    }
  }

  private mutating func goOnStarting(_ event: LifecycleEvent) -> [LifecycleEffect] {
    phase = .starting(event)
    return [.post(event, .start, .embedder)]
  }

  /// Undoes what began, in reverse; the exit status is 69 whatever the undoing says.
  ///
  /// - Parameter isOnItsWay: whether the event has not ended, so that it is cancelled first.
  mutating func failStart(
    _ failure: ListenerFailure, during event: LifecycleEvent, isOnItsWay: Bool = false
  ) -> [LifecycleEffect] {
    startFailure = failure
    let notice = ManagerNotice(
      .stopping, status: "start failed: \(failure.summary)", errno: errnoToTell(failure))
    let effects = [.notify(notice), .arm(.stop)] + dropWaiting()
    return effects + (isOnItsWay ? leave(.embedder) : goOnStopping(.embedder, wayOut(after: event)))
  }
}
