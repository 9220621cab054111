/// What outlives the process: asked of listeners, kept by the performer, and offered to the next run.
extension Lifecycle {
  /// Has every `StateRestoring` listener encode its state now, keeps it for the next run, and returns what was handed
  /// over.
  ///
  /// A listener that throws is reported; its state is not in the answer, and what it handed over before stays kept.
  /// Without a service manager that keeps descriptors and without `$STATE_DIRECTORY` there is no place to keep anything
  /// in, which is no error. It waits for its turn behind what is being told, so it must not be awaited inside a
  /// listener's callback.
  ///
  /// - Throws: `.stateUnreachable` when the lifecycle does not run, or stops, which saves by itself; `.stateNotSaved`
  ///   when there are places, and none of them has taken it.
  @discardableResult
  public func saveState() async throws(LifecycleError) -> [SavedState] {
    guard let transition = await occurred(.encodeState, .embedder, .none) else {
      throw LifecycleError(
        .stateUnreachable, message: "state can be saved only while the service runs",
        advice: "the stop saves it by itself")
    }
    let error = await withCheckedContinuation { continuation in
      keepState(of: transition) { continuation.resume(returning: $0) }
    }
    // A continuation that is resumed before it is awaited hands over in a way that ThreadSanitizer does not see.
    if let error = core.withLock({ _ in error }) { throw error }
    return transition.savedStates
  }

  /// The newest state that listeners have handed over; what they are offered at the start of this run before that.
  package var savedStates: [SavedState] {
    get { core.withLock { Array($0.savedStates.values) }.sorted { $0.listener < $1.listener } }
    set { core.withLock { $0.savedStates = Dictionary(newValue.map { ($0.listener, $0) }) { $1 } } }
  }

  /// Who had nothing to hand over has nothing for the next run, whatever an earlier one has left.
  ///
  /// - Parameter transition: nil when nobody could be told.
  func keepState(of transition: LifecycleTransition?, _ done: @escaping @Sendable (LifecycleError?) -> Void) {
    guard let transition else { return done(nil) }
    let (performer, isLast) = core.withLock { core in
      for listener in transition.unsaved { core.savedStates[listener] = nil }
      for state in transition.savedStates { core.savedStates[state.listener] = state }
      return (core.performer, core.machine.stopsAsAsked)
    }
    guard let performer else { return done(nil) }
    performer.keepState(isLast: isLast, done)
  }

  /// What no listener restores is reported, and what belongs to none that there is, is kept no longer.
  func dropUnclaimedStates(of transition: LifecycleTransition) {
    let unclaimed = transition.unclaimedStates
    if unclaimed.isEmpty { return }
    let names = Set(listenerSnapshots.map(\.name))
    for name in unclaimed {
      let isThere = names.contains(name)
      if !isThere { core.withLock { $0.savedStates[name] = nil } }
      let reason = isThere ? "it was not offered: the listener does not restore" : "there is no such listener"
      hub.send(.stateIgnored(listener: name, reason: reason))
    }
  }
}
