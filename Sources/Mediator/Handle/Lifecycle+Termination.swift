extension Lifecycle {
  /// Asks the listeners whether the service may stop, and stops it if they agree.
  ///
  /// - Returns: the strictest answer: with `.now` the stop has begun, with `.later` it begins then, with `.cancel` the
  ///   service goes on.
  @discardableResult
  public func requestTermination() async -> TerminationDecision {
    guard isAble(.termination) else {
      requestStop()
      return .now
    }
    guard let transition = await occurred(.shouldTerminate, .embedder, .none) else {
      // It is starting, or stopping: a stop is the only way to end it.
      requestStop()
      return .now
    }
    switch transition.decision {
    case .now: submit(.agreedStop(.embedder))
    case .later(let delay):
      let timer = timer(after: max(.zero, delay)) { [weak self] in self?.submit(.agreedStop(.embedder)) }
      if timer == nil { requestStop() }
    case .cancel(let reason): hub.send(.terminationCancelled(reason: reason))
    }
    return transition.decision
  }

  /// When a service that nobody uses ends by itself, if its listeners agree; `.never` by default.
  public var idleExit: IdleExit {
    get { core.withLock({ $0.idleExit }) }
    set {
      core.withLock { $0.idleExit = newValue }
      restartIdleTimer()
    }
  }

  /// Somebody uses the service: the time of `IdleExit.after(_:)` begins anew.
  public func noteActivity() { restartIdleTimer() }

  func restartIdleTimer() {
    schedule { [self] in
      let (policy, before, isIdle) = core.withLock { core in
        defer { core.idleTimer = nil }
        return (core.idleExit, core.idleTimer, core.isIdle)
      }
      before?.cancel()
      guard case .after(let delay) = policy, isIdle else { return }
      let timer = timer(after: delay) { [weak self] in self?.endIfIdle() }
      core.withLock { $0.idleTimer = timer }
    }
  }

  func lastSceneHasGone(_ policy: IdleExit) {
    switch policy {
    case .never: break
    case .afterLastScene: endIfIdle()
    case .after: restartIdleTimer()
    }
  }

  private func endIfIdle() {
    guard core.withLock({ $0.isIdle }) else { return }
    Task.detached(executorPreference: beside) { [self] in
      // Who does not agree is asked again after the same time.
      if case .cancel = await requestTermination() { restartIdleTimer() }
    }
  }

  /// The stop is put off: the service goes on serving.
  func wait(_ delay: Duration) {
    let delay = core.withLock({ $0.timeouts }).longestWait(delay)
    if timer(after: delay, { [weak self] in self?.process(.waited) }) == nil { submit(.waited) }
  }
}

extension Lifecycle.Core {
  /// Whether nobody uses the service, as far as the lifecycle can see.
  fileprivate var isIdle: Bool { scenes.isEmpty && openRequests == 0 && machine.state == .foreground }
}
