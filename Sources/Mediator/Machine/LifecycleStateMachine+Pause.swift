extension LifecycleStateMachine {
  mutating func changePauses(
    _ origin: LifecycleOrigin, _ change: (inout Set<PauseCause>) -> Void
  ) -> [LifecycleEffect] {
    let before = pauses
    change(&pauses)
    guard pauses != before else { return [] }
    nextPauseOrigin = origin
    return settle()
  }

  mutating func beginPause() -> [LifecycleEffect] {
    reason = pauses == [.sleep] ? .sleep : .pause
    pauseOrigin = nextPauseOrigin
    phase = .pausing(.willResignActive)
    return [.post(.willResignActive, reason, pauseOrigin)]
  }

  mutating func pauseEnded(_ event: LifecycleEvent, _ outcome: TransitionOutcome) -> [LifecycleEffect] {
    note(event, outcome)
    guard event == .didEnterBackground else {
      phase = .pausing(.didEnterBackground)
      return [.post(.didEnterBackground, reason, pauseOrigin)]
    }
    phase = .background
    return [.notify(ManagerNotice(status: standingStatus))] + settle()
  }

  mutating func beginResume() -> [LifecycleEffect] {
    pauseOrigin = nextPauseOrigin
    phase = .resuming(.willEnterForeground)
    return [.post(.willEnterForeground, reason, pauseOrigin)]
  }

  mutating func resumeEnded(_ event: LifecycleEvent, _ outcome: TransitionOutcome) -> [LifecycleEffect] {
    note(event, outcome)
    guard event == .didBecomeActive else {
      phase = .resuming(.didBecomeActive)
      return [.post(.didBecomeActive, reason, pauseOrigin)]
    }
    phase = .foreground
    return [.notify(ManagerNotice(status: standingStatus))] + settle()
  }
}
