/// Where a lifecycle stands, as one consistent picture.
package struct LifecycleStanding: Sendable {
  package var state: LifecycleState
  package var reason: LifecycleReason
  /// When it arrived there; nil before the run.
  package var since: ContinuousClock.Instant?
  package var generation: UInt64
  /// What is going on, in words for people.
  package var status: String
  package var pauses: [PauseCause]
  /// Of the newest reload.
  package var reloadFailure: ListenerFailure?
  /// Why it is degraded.
  package var failures: [ListenerFailure]
  /// Who is unwell, by their health checks.
  package var unwell: [ListenerFailure]

  /// No required listener is unwell, and it does not stop.
  package var isAlive: Bool {
    state != .stopping && state != .stopped && !unwell.contains(where: \.isRequired)
  }

  /// It takes work.
  package var isReady: Bool { isAlive && (state == .foreground || state == .reloading && pauses.isEmpty) }
}

/// What a peer of the control socket may ask, without a task: its answers come where inputs are processed, or at once
/// when the lifecycle is over.
extension Lifecycle {
  package var standing: LifecycleStanding {
    let progress = progress
    return core.withLock { core in
      let machine = core.machine
      let status: String =
        switch machine.phase {
        case .foreground, .background: machine.standingStatus
        default: progress ?? machine.startFailure?.summary ?? machine.state.rawValue
        }
      return LifecycleStanding(
        state: machine.state, reason: machine.currentReason, since: core.stateBegan, generation: machine.generation,
        status: StatusText.clean(status), pauses: machine.pauses.sorted { $0.rawValue < $1.rawValue },
        reloadFailure: machine.reloadFailure, failures: machine.degraded, unwell: machine.unwell)
    }
  }

  /// All listeners in order, with their states.
  package var listenerSnapshots: [ListenerSnapshot] { mediators.flatMap(\.snapshot) }

  package func reload(from origin: LifecycleOrigin, _ ended: @escaping @Sendable (ReloadOutcome) -> Void) {
    let ticket: ReloadTicket? = core.withLock { core in
      guard core.machine.state != .stopped else { return nil }
      return core.waiters.addReload(ended)
    }
    guard let ticket else { return ended(.droppedByStop) }
    submit(.reload(origin, ticket))
  }

  package func pause(
    _ cause: PauseCause, from origin: LifecycleOrigin,
    _ ended: @escaping @Sendable (Result<Void, LifecycleError>) -> Void
  ) {
    let number = core.withLock { $0.waiters.number() }
    submit(.pause(cause, origin))
    enter(.paused(cause), number, ended)
  }

  package func resume(
    _ cause: PauseCause, from origin: LifecycleOrigin,
    _ ended: @escaping @Sendable (Result<Void, LifecycleError>) -> Void
  ) {
    let number = core.withLock { $0.waiters.number() }
    submit(.resume(cause, origin))
    enter(.resumed(cause), number, ended)
  }

  package func requestStop(from origin: LifecycleOrigin) { submit(.stop(origin)) }

  package func send(_ request: LifecycleRequest, _ ended: @escaping @Sendable (RequestResult) -> Void) {
    core.withLock { $0.openRequests += 1 }
    noteActivity()
    submit(.didReceiveRequest, request.origin, .request(request)) { [self] transition in
      core.withLock { $0.openRequests -= 1 }
      let stopping = RequestResult.refused(by: "lifecycle", "the service is not running, or stops")
      let result = transition?.answer ?? stopping
      hub.send(.requestEnded(verb: request.verb, result))
      noteActivity()
      ended(result)
    }
  }
}
