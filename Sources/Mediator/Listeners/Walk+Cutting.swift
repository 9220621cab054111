internal import Synchronization

extension Walk {
  func apply(_ control: LifecycleTransition.Control) {
    switch control {
    case .cancel: cancel()
    case .hasten: hasten()
    case .passOver: passOver(isEnding: false)
    case .abandon: passOver(isEnding: true)
    }
  }

  /// Tells nobody else, and asks those who are being told to return.
  func cancel() {
    let (task, branches) = state.withLock { state in
      state.isEnding = true
      state.isCancelled = true
      return (state.task, state.branches)
    }
    attention.store(true, ordering: .releasing)
    for branch in branches { branch.cancel() }
    if branches.isEmpty { cancel(task) }
  }

  /// Asks those who are being told to return, and goes on with the others.
  func hasten() {
    let (task, branches): (Task<Void, Never>?, [Walk]) = state.withLock { state in
      guard !state.isOver, state.branches.isEmpty else { return (nil, state.branches) }
      state.isHastened = true
      return (state.task, [])
    }
    attention.store(true, ordering: .releasing)
    for branch in branches { branch.hasten() }
    cancel(task)
  }

  /// The time is over for those who are being told: they may return a little late, then they are left behind.
  ///
  /// - Parameters:
  ///   - isEnding: nobody else is told.
  ///   - call: does nothing unless this call is still on its way.
  ///   - place: nor unless this one is being told.
  func passOver(isEnding: Bool, call: UInt64? = nil, place: Int? = nil) {
    let (isMeant, task, round, branches, timer) = state.withLock { state in
      let nobody = (false, Task<Void, Never>?.none, state.round, [Walk](), (any LifecycleTimer)?.none)
      let isLate = call.map { $0 != state.call } ?? false
      if isLate || place.map({ $0 != position.load(ordering: .acquiring) }) ?? false { return nobody }
      if isEnding {
        state.isEnding = true
        state.isAbandoned = true
      }
      guard !state.isOver, state.branches.isEmpty else {
        return (false, nil, state.round, state.branches, nil)
      }
      state.isOverdue = true
      defer { state.timer = nil }
      return (true, state.task, state.round, [], state.timer)
    }
    attention.store(true, ordering: .releasing)
    timer?.cancel()
    for branch in branches { branch.passOver(isEnding: isEnding) }
    // Who is told without a task can be left behind as well.
    guard isMeant else { return }
    cancel(task)
    let grace = mediator.lifecycle?.grace ?? .zero
    keep(mediator.lifecycle?.timer(after: grace) { [weak self] in self?.leaveBehind(round) }, round)
  }

  /// Whoever is being told has not returned in its time: it is never called again.
  private func leaveBehind(_ round: Int) {
    let left: (WalkSteps.Step, ListenerFailure, TracedCall?)? = state.withLock { state in
      guard state.round == round, !state.isOver, state.isOverdue, state.branches.isEmpty,
        let step = steps[position.load(ordering: .acquiring)]
      else { return nil }
      step.registration.markStuck()
      state.round += 1
      state.call += 1
      let traced = state.takeTraced(nil)
      state.isOverdue = false
      state.isHastened = false
      let failure = Self.timeout(of: step)
      note(Failed(registration: step.registration, failure: failure), step.transition, &state)
      return (step, failure, traced)
    }
    guard let (step, failure, traced) = left else { return }
    traced?.end()
    report(failure, step)
    step.registration.able?.cancelRun(on: mediator.lifecycle?.beside)
    // The thread of a branch is its own, and nobody else's loss.
    if kind.within == nil { mediator.lifecycle?.leaveDeliveryBehind() }
    spawn(round + 1)
  }

  /// Sets the limit of one call: the listener's own, or what is left of a group's.
  func arm(_ step: WalkSteps.Step, _ round: Int) {
    let registration = step.registration
    guard registration.isTimed, let lifecycle = mediator.lifecycle, let now = lifecycle.now else { return }
    var limit = registration.timeout
    for group in registration.group?.chain ?? [] {
      guard let timeout = group.timeout else { continue }
      let deadline = state.withLock { state in
        let known = state.deadlines[ObjectIdentifier(group)]
        if let known, known.event == step.transition.event { return known.instant }
        state.deadlines[ObjectIdentifier(group)] = GroupDeadline(event: step.transition.event, instant: now + timeout)
        return now + timeout
      }
      limit = min(limit ?? timeout, max(.zero, now.duration(to: deadline)))
    }
    guard let limit else { return }
    let call = state.withLock { state in
      state.call += 1
      return state.call
    }
    keep(lifecycle.timer(after: limit) { [weak self] in self?.passOver(isEnding: false, call: call) }, round)
  }

  /// Where no limit of a start, reload or stop counts, one call may take `LifecycleTimeouts.call`, and at most twice
  /// that: it is looked from time to time whether the same one is still being told.
  func watch() {
    guard !kind.isForeign, !steps.hasBudget, let lifecycle = mediator.lifecycle, let limit = lifecycle.timeouts.call,
      let now = lifecycle.now
    else { return }
    let place = max(position.load(ordering: .acquiring), 0)
    state.withLock { $0.look = (place, now + limit) }
    lifecycle.lookAtCalls(at: now + limit)
  }

  func lookAtCall(_ now: ContinuousClock.Instant, _ limit: Duration) -> ContinuousClock.Instant? {
    // Whoever is told without a task waits for the end of the post.
    let posted = steps.single?.postBegan
    let isWatched = !kind.isForeign && !steps.hasBudget
    let (look, branches): ((place: Int, due: ContinuousClock.Instant)?, [Walk]) = state.withLock { state in
      let began = state.led.map { (place: 0, due: $0 + limit) } ?? posted.map { (place: -1, due: $0 + limit) }
      return (state.isOver || !isWatched ? nil : state.look ?? began, state.branches)
    }
    // Branches look for themselves.
    let theirs = branches.compactMap { $0.lookAtCall(now, limit) }
    guard let look else { return theirs.min() }
    if look.due > now { return (theirs + [look.due]).min() }
    // Before the first one is told, nobody is.
    let place = position.load(ordering: .acquiring)
    if place >= 0, place == look.place, branches.isEmpty { passOver(isEnding: false, place: place) }
    state.withLock { $0.look = (place, now + limit) }
    return (theirs + [now + limit]).min()
  }

  private func keep(_ timer: (any LifecycleTimer)?, _ round: Int) {
    let isKept = state.withLock { state in
      guard state.round == round, !state.isOver else { return false }
      state.timer = timer
      return true
    }
    if !isKept { timer?.cancel() }
  }
}
