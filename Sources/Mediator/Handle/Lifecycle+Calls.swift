/// A transition on its way.
struct OpenTransition: Sendable {
  var transition: LifecycleTransition
  /// Until when delivery counts as turning because of it; nil without an end.
  var deadline: ContinuousClock.Instant?
  /// When it is looked next whether the time of plain observers is over, where no limit of a start, reload or stop counts.
  var callsDue: ContinuousClock.Instant?
  /// The number of its entry in the trace.
  var traced: UInt64?
}

/// Where no limit of a start, reload or stop counts, each call has `LifecycleTimeouts.call`: one timer looks at all of
/// them, since nearly none comes so far, and a timer for each would cost more than the post.
extension Lifecycle {
  /// Makes sure that somebody looks then.
  func lookAtCalls(at due: ContinuousClock.Instant) {
    let performer: (any LifecyclePerformer)? = core.withLock { core in
      if let earlier = core.callsDue, earlier <= due { return nil }
      core.callsDue = due
      return core.performer
    }
    guard let performer else { return }
    let delay = max(.zero, performer.now.duration(to: due))
    _ = performer.timer(after: delay) { [weak self] in self?.lookAtCalls(expecting: due) }
  }

  private func lookAtCalls(expecting due: ContinuousClock.Instant) {
    guard let now, let limit = timeouts.call else { return core.withLock { $0.callsDue = nil } }
    let open: [LifecycleTransition]? = core.withLock { core in
      guard core.callsDue == due else { return nil }
      core.callsDue = nil
      return core.openTransitions.values.filter { $0.callsDue.map { $0 <= now } ?? false }.map(\.transition)
    }
    guard let open else { return }
    for transition in open.sorted(by: { $0.serial < $1.serial }) { lookAtObservers(of: transition, now, limit) }
    let walks = mediators.compactMap { $0.lookAtCall(now, limit) }
    let posts = core.withLock { $0.openTransitions.values.compactMap(\.callsDue) }
    if let next = (walks + posts).min() { lookAtCalls(at: next) }
  }

  /// Plain observers have the time of one call for their blocks, and for the deferrals that they took; listeners have theirs
  /// in the walk.
  private func lookAtObservers(
    of transition: LifecycleTransition, _ now: ContinuousClock.Instant, _ limit: Duration
  ) {
    // It may have waited for its turn.
    let due = transition.postBegan.map { $0 + limit } ?? now + limit
    core.withLock { $0.openTransitions[transition.serial]?.callsDue = due > now ? due : nil }
    if due > now { return }
    transition.passOverDeferrals()
    if transition.isPosting { abandonPost(of: transition) }
  }
}
