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
  /// - Parameters:
  ///   - isEnding: nobody else is told.
  ///   - call: does nothing unless this call is still on its way.
  ///   - place: nor unless this one is being told.
  func passOver(isEnding: Bool, call: UInt64? = nil, place: Int? = nil) {
    let (round, task, branches, timer) = state.withLock { state in
      let isLate = call.map { $0 != state.call } ?? false
      if isLate || place.map({ $0 != position.load(ordering: .acquiring) }) ?? false {
        return (state.round, Task<Void, Never>?.none, [Walk](), (any LifecycleTimer)?.none)
      }
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
    step.registration.able?.cancelRun()
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
  /// that: one timer looks from time to time whether the same one is still being told.
  func watch() {
    guard !kind.isForeign, !steps.transitions.contains(where: \.hasBudget), let lifecycle = mediator.lifecycle,
      let limit = lifecycle.timeouts.call
    else { return }
    let place = position.load(ordering: .acquiring)
    let timer = lifecycle.timer(after: limit) { [weak self] in
      guard let self else { return }
      let now = position.load(ordering: .acquiring)
      // Before the first one is told, nobody is; and branches look for themselves.
      if now == max(place, 0), state.withLock(\.branches.isEmpty) { passOver(isEnding: false, place: now) }
      watch()
    }
    let isKept = state.withLock { state in
      if !state.isOver { state.watch = timer }
      return !state.isOver
    }
    if !isKept { timer?.cancel() }
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
