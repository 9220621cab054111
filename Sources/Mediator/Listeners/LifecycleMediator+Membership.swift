extension LifecycleMediator {
  /// Adds a listener at the end of the order, and brings it to the state that the others are in.
  ///
  /// Called from inside a listener's callback it returns without waiting: the newcomer is brought up after the post
  /// that is under way, and an error of its start goes to the reports and makes the service degraded.
  ///
  /// - Parameters:
  ///   - entry: the newcomer, or a group of them.
  ///   - other: the entry before which the newcomer stands; without one it stands at the end.
  /// - Returns: what takes the entry out again; for a group, all of it.
  /// - Throws: `.listenerFailed` when its start fails; it has then been told `willTerminate` and is not a member.
  ///   `.stateUnreachable` when the lifecycle stops.
  @discardableResult
  public func add(_ entry: ListenerEntry, before other: Token? = nil) async throws(LifecycleError) -> Token {
    guard let (token, registrations) = insert(entry, before: other) else { throw Self.stopping(entry) }
    return try await bring(entry, token, registrations)
  }

  /// Removes a listener: it is not called any more, also not in a post that is under way, but for its own stop.
  ///
  /// Returns when its `willTerminate` has returned; called from inside a listener's callback it returns at once. A
  /// token that was removed before, or is another mediator's, does nothing.
  public func remove(_ token: Token) async {
    let registrations = takeOut(token)
    if registrations.isEmpty { return }
    if isTelling {
      enqueue(.retire(registrations) {})
    } else {
      await withCheckedContinuation { continuation in
        enqueue(.retire(registrations) { continuation.resume() })
      }
    }
  }

  /// Puts another listener in the place of one: first the old one gets its own stop, then the new one its start.
  ///
  /// - Returns: the new one's token.
  /// - Throws: as `add` does; the old one is gone then, too. `.notAMember` when the token names no member: nothing was
  ///   changed.
  @discardableResult
  public func replace(_ token: Token, with entry: ListenerEntry) async throws(LifecycleError) -> Token {
    guard token.mediator == ObjectIdentifier(self), state.withLock({ $0.list.contains(token.number) }) else {
      throw LifecycleError(
        .notAMember, listener: entry.name, message: "the listener to be replaced is not a member",
        advice: "add the new one instead")
    }
    // Admitted by no event before its turn to be brought up, since its phase is that of a newcomer.
    guard let (newcomer, registrations) = insert(entry, before: token) else { throw Self.stopping(entry) }
    await remove(token)
    return try await bring(entry, newcomer, registrations)
  }

  private func bring(
    _ entry: ListenerEntry, _ token: Token, _ registrations: [Registration]
  ) async throws(LifecycleError) -> Token {
    if isTelling {
      bringLater(token, registrations)
      return token
    }
    let failure = await withCheckedContinuation { continuation in
      enqueue(.bring(registrations) { continuation.resume(returning: $0) })
    }
    guard let failure else {
      guard !isStopping else { throw Self.stopping(entry) }
      return token
    }
    await remove(token)
    throw LifecycleError(
      .listenerFailed, listener: failure.listener, message: failure.message,
      advice: "mend the cause and add it again", errno: failure.errno)
  }

  /// Adds without waiting; the second value brings the newcomer up.
  func addLater(_ entry: ListenerEntry) -> (Token?, () -> Void) {
    guard let (token, registrations) = insert(entry, before: nil) else { return (nil, {}) }
    return (token, { self.bringLater(token, registrations) })
  }

  /// An error of its start goes to the reports, and the newcomer is no member any more.
  func bringLater(_ token: Token, _ registrations: [Registration]) {
    enqueue(
      .bring(registrations) { [weak self] failure in
        guard let self, let failure else { return }
        lifecycle?.submit(.failed(failure))
        let expelled = takeOut(token)
        if !expelled.isEmpty { enqueue(.retire(expelled) {}) }
      })
  }

  private static func stopping(_ entry: ListenerEntry) -> LifecycleError {
    LifecycleError(
      .stateUnreachable, listener: entry.name, message: "not added: the lifecycle stops",
      advice: "treat it as the end of the service")
  }

  func takeOut(_ token: Token) -> [Registration] {
    guard token.mediator == ObjectIdentifier(self) else { return [] }
    let registrations = state.withLock { state in
      let removed = state.list.remove(token.number)
      if !state.durations.isEmpty { for registration in removed { state.durations[registration.number] = nil } }
      return removed
    }
    for registration in registrations {
      registration.markRemoved()
      count(registration.abilities, -1)
    }
    return registrations
  }

  /// nil once the lifecycle stops.
  @discardableResult
  func insert(_ entry: ListenerEntry, before other: Token?) -> (Token, [Registration])? {
    if isStopping { return nil }
    // Made outside the lock, since listeners are asked for their names and abilities.
    var registrations: [Registration] = []
    var group: UInt64?
    if case .group = entry.content { group = nextGroup() }
    register(entry, in: nil, as: group, &registrations)
    let number: UInt64? = state.withLock { state in
      guard !state.isOver else { return nil }
      if let other {
        state.list.insert(registrations, group: group, before: other.number)
      } else {
        state.list.append(registrations, group: group)
      }
      return group ?? registrations.first?.number
    }
    guard let number else { return nil }
    for registration in registrations {
      count(registration.abilities, 1)
      claim(registration.signals)
    }
    return (token(number), registrations)
  }

  private func nextGroup() -> UInt64 {
    state.withLock { state in
      state.nextGroup += 1
      return state.nextGroup
    }
  }

  private func register(
    _ entry: ListenerEntry, in group: GroupNode?, as outermost: UInt64?, _ registrations: inout [Registration]
  ) {
    guard case .group(let entries, let isConcurrent) = entry.content else {
      registrations.append(Registration(entry, entryNumber: outermost, group: group))
      return
    }
    let node = GroupNode(entry, parent: group, isConcurrent: isConcurrent)
    for entry in entries { register(entry, in: node, as: outermost, &registrations) }
  }

  func count(_ abilities: AbilitySet, _ change: Int) {
    if !abilities.isEmpty { lifecycle?.count(abilities, change) }
  }

  /// Signals that nobody had named before.
  func claim(_ signals: Set<SignalNumber>) {
    if !signals.isEmpty { lifecycle?.claim(signals) }
  }

  /// The signals that any listener names.
  package var signals: Set<SignalNumber> {
    state.withLock({ $0.list }).all.reduce(into: []) { $0.formUnion($1.signals) }
  }

  /// The tokens of all listeners in order.
  package var tokens: [Token] { state.withLock({ $0.list }).all.map { token($0.number) } }
}
