extension Lifecycle {
  /// Returns when the lifecycle is in this state; throws as soon as it can no longer be reached.
  ///
  /// - Throws: `.stateUnreachable`, or `.cancelled` when the calling task was cancelled.
  public func state(_ wanted: LifecycleState) async throws(LifecycleError) {
    try await wait(for: .state(wanted)) {}
  }

  /// Reloads, and returns what came of it, after the manager was told.
  ///
  /// During a start, a pause or another reload the request is remembered; requests that wait together share one
  /// reload and its outcome.
  public func reload() async -> ReloadOutcome {
    await withCheckedContinuation { continuation in
      reload(from: .embedder) { continuation.resume(returning: $0) }
    }
  }

  /// Goes to the background, and returns when it is there.
  ///
  /// Other causes of a pause (SIGUSR1, SIGTSTP) are apart: the pause ends with the last of them.
  ///
  /// - Throws: `.superseded` when somebody resumed first, `.stateUnreachable` when the lifecycle stops,
  ///   `.cancelled` when the calling task was cancelled; the request itself stands.
  public func pause() async throws(LifecycleError) {
    try await wait(for: .paused(.embedder)) { self.submit(.pause(.embedder, .embedder)) }
  }

  /// Ends the pause that `pause()` began, and returns when the service is in the foreground again, or stays in the
  /// background for another cause.
  ///
  /// - Throws: as `pause()` does.
  public func resume() async throws(LifecycleError) {
    try await wait(for: .resumed(.embedder)) { self.submit(.resume(.embedder, .embedder)) }
  }

  /// Stops in order and returns the exit status; every caller gets the one result.
  public func stop() async -> Int32 {
    requestStop()
    return await exitStatus()
  }

  /// Waits for the end, without asking for it.
  package nonisolated(nonsending) func exitStatus() async -> Int32 {
    await withCheckedContinuation { continuation in
      let status: Int32? = core.withLock { core in
        if let status = core.exitStatus { return status }
        core.waiters.addExit { continuation.resume(returning: $0) }
        return nil
      }
      if let status { continuation.resume(returning: status) }
    }
  }

  /// Waits for a wish; `ask` submits what should bring it about, after the wait has begun.
  private func wait(
    for wish: LifecycleWaiters.Wish, ask: @escaping @Sendable () -> Void
  ) async throws(LifecycleError) {
    let number = core.withLock { $0.waiters.number() }
    let result: Result<Void, LifecycleError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        ask()
        // Behind what was asked, so that the state before the request does not answer it.
        enter(wish, number) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      core.withLock { $0.waiters.takeCancelled(number) }?()
    }
    core.withLock { $0.waiters.end(number) }
    try result.get()
  }

  func enter(
    _ wish: LifecycleWaiters.Wish, _ number: UInt64, _ resume: @escaping LifecycleWaiters.StateContinuation
  ) {
    let look: @Sendable () -> Void = { [self] in
      let result: Result<Void, LifecycleError>? = core.withLock { core in
        if let result = core.machine.resolution(of: wish) { return result }
        return core.waiters.add(wish, number: number, resume) ? nil : .failure(LifecycleWaiters.cancelled)
      }
      if let result { resume(result) }
    }
    if let performer = core.withLock({ $0.performer }) { performer.schedule(look) } else { look() }
  }
}
