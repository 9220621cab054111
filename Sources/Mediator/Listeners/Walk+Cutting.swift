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
    if branches.isEmpty { Self.cancel(task) }
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
    Self.cancel(task)
  }

  /// The time is over for those who are being told: they may return a little late, then they are left behind.
  ///
  /// - Parameter isEnding: nobody else is told.
  func passOver(isEnding: Bool) {
    let (round, task, branches, timer) = state.withLock { state in
      if isEnding {
        state.isEnding = true
        state.isAbandoned = true
      }
      guard !state.isOver, state.branches.isEmpty else {
        return (state.round, Task<Void, Never>?.none, state.branches, (any LifecycleTimer)?.none)
      }
      state.isOverdue = true
      defer { state.timer = nil }
      return (state.round, state.task, [], state.timer)
    }
    attention.store(true, ordering: .releasing)
    timer?.cancel()
    for branch in branches { branch.passOver(isEnding: isEnding) }
    guard let task else { return }
    Self.cancel(task)
    keep(mediator.lifecycle?.timer(after: Self.grace) { [weak self] in self?.leaveBehind(round) }, round)
  }

  /// Whoever is being told has not returned in its time: it is never called again.
  private func leaveBehind(_ round: Int) {
    let left: (WalkSteps.Step, ListenerFailure)? = state.withLock { state in
      guard state.round == round, !state.isOver, state.isOverdue, state.branches.isEmpty,
        let step = steps[position.load(ordering: .acquiring)]
      else { return nil }
      step.registration.markStuck()
      state.round += 1
      state.isOverdue = false
      state.isHastened = false
      let failure = Self.timeout(of: step)
      note(Failed(registration: step.registration, failure: failure), step.transition, &state)
      return (step, failure)
    }
    guard let (step, failure) = left else { return }
    report(failure, step)
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
        let deadline = state.deadlines[ObjectIdentifier(group)] ?? now + timeout
        state.deadlines[ObjectIdentifier(group)] = deadline
        return deadline
      }
      limit = min(limit ?? timeout, max(.zero, now.duration(to: deadline)))
    }
    guard let limit else { return }
    keep(lifecycle.timer(after: limit) { [weak self] in self?.overdue(round, registration) }, round)
  }

  private func overdue(_ round: Int, _ registration: Registration) {
    let isCurrent = state.withLock { state in
      state.round == round && steps[position.load(ordering: .acquiring)]?.registration === registration
    }
    if isCurrent { passOver(isEnding: false) }
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
