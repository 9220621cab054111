extension LifecycleMediator {
  /// Adds a listener at the end of the order, and brings it to the state that the others are in.
  ///
  /// Called from inside a listener's callback it returns without waiting: the newcomer is brought up after the post
  /// that is under way, and an error of its start goes to the reports and makes the service degraded.
  ///
  /// - Parameter other: the listener before which the newcomer stands; without one it stands at the end.
  /// - Throws: `.listenerFailed` when its start fails; it has then been told `willTerminate` and is not a member.
  ///   `.stateUnreachable` when the lifecycle stops.
  @discardableResult
  public func add(_ entry: ListenerEntry, before other: Token? = nil) async throws(LifecycleError) -> Token {
    guard let registration = insert(entry, before: other) else {
      throw Self.stopping(entry)
    }
    if isTelling {
      enqueue(
        .bring(registration) { [weak self] failure in
          if let failure { self?.lifecycle?.submit(.failed(failure)) }
          if failure != nil { self?.expel(registration) }
        })
      return registration.token
    }
    let failure = await withCheckedContinuation { continuation in
      enqueue(.bring(registration) { continuation.resume(returning: $0) })
    }
    guard let failure else {
      guard !isStopping else { throw Self.stopping(entry) }
      return registration.token
    }
    await remove(registration.token)
    throw LifecycleError(
      .listenerFailed, listener: failure.listener, message: failure.message,
      advice: "mend the cause and add it again", errno: failure.errno)
  }

  /// Removes a listener: it is not called any more, also not in a post that is under way, but for its own stop.
  ///
  /// Returns when its `willTerminate` has returned; called from inside a listener's callback it returns at once. A
  /// token that was removed before, or is another mediator's, does nothing.
  public func remove(_ token: Token) async {
    guard let registration = takeOut(token) else { return }
    if isTelling {
      enqueue(.retire(registration) {})
    } else {
      await withCheckedContinuation { continuation in
        enqueue(.retire(registration) { continuation.resume() })
      }
    }
  }

  private static func stopping(_ entry: ListenerEntry) -> LifecycleError {
    LifecycleError(
      .stateUnreachable, listener: entry.name, message: "not added: the lifecycle stops",
      advice: "treat it as the end of the service")
  }

  private func expel(_ registration: Registration) {
    guard takeOut(registration.token) != nil else { return }
    enqueue(.retire(registration) {})
  }

  private func takeOut(_ token: Token) -> Registration? {
    let registration = state.withLock { $0.list.remove(token) }
    guard let registration else { return nil }
    registration.markRemoved()
    if registration.entry.reloading != nil { lifecycle?.countReloadListeners(-1) }
    return registration
  }

  /// nil once the lifecycle stops.
  @discardableResult
  func insert(_ entry: ListenerEntry, before other: Token?) -> Registration? {
    if isStopping { return nil }
    let registration: Registration? = state.withLock { state in
      guard !state.isOver else { return nil }
      state.nextToken += 1
      let token = Token(number: state.nextToken, mediator: ObjectIdentifier(self))
      let registration = Registration(token: token, entry: entry)
      if let other { state.list.insert(registration, before: other) } else { state.list.append(registration) }
      return registration
    }
    if registration?.entry.reloading != nil { lifecycle?.countReloadListeners(1) }
    return registration
  }

  /// The signals that any listener names.
  package var signals: Set<SignalNumber> {
    state.withLock { $0.list.snapshot }.reduce(into: []) { $0.formUnion($1.entry.signals) }
  }

  /// The tokens in order.
  package var tokens: [Token] { state.withLock { $0.list.snapshot.map(\.token) } }
}
