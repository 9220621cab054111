/// What goes with an occurrence until it is posted.
struct Occurrence: Sendable {
  var detail: TransitionDetail
  /// Gets the transition that was told to everybody; nil when nobody could be told.
  var ended: (@Sendable (LifecycleTransition?) -> Void)?
}

extension Lifecycle {
  /// Offers a request to the listeners, in order, and returns what came of it.
  ///
  /// During the start it is kept, and offered once after `didBecomeActive`; while the lifecycle stops it is refused.
  /// It waits for its turn behind what is being told, so it must not be awaited inside a listener's callback.
  public func send(_ request: LifecycleRequest) async -> RequestResult {
    let result = await withCheckedContinuation { continuation in
      send(request) { continuation.resume(returning: $0) }
    }
    // A continuation that is resumed before it is awaited hands over in a way that ThreadSanitizer does not see.
    return core.withLock { _ in result }
  }

  /// Offers several requests, each on its own, and returns what came of each, in their order.
  public func send(_ requests: [LifecycleRequest]) async -> [RequestResult] {
    await withTaskGroup(of: (Int, RequestResult).self) { group in
      for (index, request) in requests.enumerated() {
        group.addTask { (index, await self.send(request)) }
      }
      var results = [RequestResult](repeating: .unclaimed, count: requests.count)
      for await (index, result) in group { results[index] = result }
      return results
    }
  }

  /// Something that moves nothing; returns the transition when everybody has finished, nil when nobody could be told.
  package func occurred(
    _ event: LifecycleEvent, _ origin: LifecycleOrigin, _ detail: TransitionDetail
  ) async -> LifecycleTransition? {
    let transition = await withCheckedContinuation { continuation in
      submit(event, origin, detail) { continuation.resume(returning: $0) }
    }
    // A continuation that is resumed before it is awaited hands over in a way that ThreadSanitizer does not see.
    return core.withLock { _ in transition }
  }

  /// Something that moves nothing, without waiting.
  package func submit(
    _ event: LifecycleEvent, _ origin: LifecycleOrigin, _ detail: TransitionDetail,
    _ ended: (@Sendable (LifecycleTransition?) -> Void)? = nil
  ) {
    let ticket: OccurrenceTicket? = core.withLock { core in
      guard core.exitStatus == nil else { return nil }
      let ticket = OccurrenceTicket(core.waiters.number())
      core.occurrences[ticket] = Occurrence(detail: detail, ended: ended)
      return ticket
    }
    guard let ticket else {
      ended?(nil)
      return
    }
    submit(.occurred(event, origin, ticket))
  }

  // MARK: Status and health

  /// Reads what `StatusReporting` listeners say, and tells the manager if it is news.
  ///
  /// It is done by itself whenever the service has arrived in the foreground or the background.
  public func updateStatus() {
    guard isAble(.status) else { return }
    let reporting = mediators.flatMap { $0.able(.status) }
    Task.detached(executorPreference: beside) { [self] in
      var text = ""
      for registration in reporting {
        guard let listener = registration.listener as? any StatusReporting else { continue }
        let limit = registration.timeout ?? .seconds(5)
        let said = await call(within: limit) { await listener.status }
        if case .success(let said) = said, !said.isEmpty { text = said }
      }
      submit(.status(text))
    }
  }
}

extension LifecycleMediator {
  /// The listeners that have an ability, in order.
  ///
  /// - Parameter withStuck: also those that were left behind.
  func able(_ ability: AbilitySet, withStuck: Bool = false) -> [Registration] {
    state.withLock({ $0.list }).all.filter {
      $0.abilities.contains(ability) && ($0.currentPhase.isServing || withStuck && $0.isStuck)
    }
  }
}
