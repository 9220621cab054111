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
    let outcome: Result<[SavedState], LifecycleError> = await withCheckedContinuation { continuation in
      // Kept where it was handed over, not when this task has its turn again: by then a later save may have been kept.
      submit(.encodeState, .embedder, .none) { [self] transition in
        guard let transition else { return continuation.resume(returning: .failure(Self.runsNot)) }
        keepState(of: transition) { error in
          continuation.resume(returning: error.map { .failure($0) } ?? .success(transition.savedStates))
        }
      }
    }
    // A continuation that is resumed before it is awaited hands over in a way that ThreadSanitizer does not see.
    return try core.withLock { _ in outcome }.get()
  }

  private static let runsNot = LifecycleError(
    .stateUnreachable, message: "state can be saved only while the service runs",
    advice: "the stop saves it by itself")

  /// The newest state that listeners have handed over; what they are offered at the start of this run before that.
  package var savedStates: [SavedState] {
    get { core.withLock { Array($0.savedStates.values) }.sorted { $0.listener < $1.listener } }
    set { core.withLock { $0.savedStates = Dictionary(newValue.map { ($0.listener, $0) }) { $1 } } }
  }

  /// Who had nothing to hand over has nothing for the next run, whatever an earlier one has left; what was asked for
  /// before something that is kept already comes too late.
  ///
  /// - Parameter transition: nil when nobody could be told.
  func keepState(of transition: LifecycleTransition?, _ done: @escaping @Sendable (LifecycleError?) -> Void) {
    guard let transition else { return done(nil) }
    let performer = core.withLock { core in
      let news = transition.unsaved.map { ($0, SavedState?.none) } + transition.savedStates.map { ($0.listener, $0) }
      for (listener, state) in news where core.savedSerials[listener, default: 0] <= transition.serial {
        core.savedStates[listener] = state
        core.savedSerials[listener] = transition.serial
      }
      return core.performer
    }
    guard let performer else { return done(nil) }
    performer.keepState(done)
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
