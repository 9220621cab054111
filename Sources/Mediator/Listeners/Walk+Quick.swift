internal import Synchronization

/// Listeners that are told without a clock or a limit: loops of their own, since all else costs more than they do.
extension Walk {
  /// Whether the first listener can be told on the thread that posts.
  var canLead: Bool { !mediator.isWatched && steps.beginsQuickly }

  /// Tells listeners on this thread, without a task, as long as they need none; a task tells the others.
  ///
  /// - Parameter now: when it begins, where each call has a limit of its own.
  func lead(at now: ContinuousClock.Instant? = nil) {
    if let now { state.withLock { $0.led = now } }
    var index = -1
    guard mediator.tellHere({ tellQuickOnes(&index, 0) }) else { return }
    guard index + 1 >= steps.count, !attention.load(ordering: .acquiring) else {
      // Nobody is being told until the task begins, which may take its time.
      position.store(-1, ordering: .releasing)
      return begin(after: index)
    }
    position.store(steps.count, ordering: .releasing)
    _ = mayGoOn(0, steps.count)
  }

  /// Tells those that need no suspension, up to the first listener that needs more.
  ///
  /// - Returns: false when another task goes on.
  func tellQuickOnes(_ index: inout Int, _ round: Int) -> Bool {
    guard let transition = steps.single, AbilitySet.needed(for: transition.event).isEmpty else { return true }
    var isSettled = true
    while isSettled {
      var failure: ListenerFailure?
      do {
        guard try tellQuickRun(transition, &index) else { return true }
      } catch {
        failure = steps[index]?.registration.failed(error, transition, kind.isForeign)
      }
      guard let step = steps[index] else { return true }
      isSettled = settle(step, failure, round)
    }
    return isSettled
  }

  /// As far as nobody throws and nothing is asked of the walk.
  ///
  /// - Returns: whether what the one at the index came to is to be noted; so it is after a throw.
  private func tellQuickRun(_ transition: LifecycleTransition, _ index: inout Int) throws -> Bool {
    let slots = steps.slots
    let (last, step) = (slots.count - 1, transition.event.isReversed ? -1 : 1)
    let (isForeign, isUsual) = (kind.isForeign, !kind.isRetirement && mediator.recorder == nil)
    var place = step > 0 ? index + 1 : last - index - 1
    defer { index = (step > 0 ? place : last - place) - 1 }
    while place >= 0, place <= last {
      position.store(step > 0 ? place : last - place, ordering: .releasing)
      // Whoever raised it may have read the position before: the slow way looks.
      if attention.load(ordering: .acquiring) { return false }
      place += step
      let wasTold = try slots.withBorrowed(place - step) { registration in
        if isUsual, try registration.tellAtOnce(transition, isForeign) { return true }
        return try tellQuickly(registration, transition)
      }
      if wasTold == false {
        place -= step
        return false
      }
      if attention.load(ordering: .acquiring) { return true }
    }
    return false
  }

  /// - Returns: false if it needs more.
  @inline(never)
  private func tellQuickly(_ registration: Registration, _ transition: LifecycleTransition) throws -> Bool {
    guard registration.isQuick else { return false }
    guard mayTell(registration, transition) else { return true }
    mediator.recorder?(registration.name, transition)
    switch registration.content {
    case .synchronous(let listener): try listener.handle(transition)
    case .particular(let particulars): try particulars.handle(transition)
    default: break
    }
    return true
  }

  /// Tells those that have no abilities, up to the first listener that needs more.
  ///
  /// - Returns: false when another task goes on.
  func tellPlainOnes(_ index: inout Int, _ round: Int) async -> Bool {
    guard let transition = steps.single, AbilitySet.needed(for: transition.event).isEmpty else { return true }
    let (slots, isReversed, recorder) = (steps.slots, transition.event.isReversed, mediator.recorder)
    while index + 1 < slots.count, !attention.load(ordering: .acquiring) {
      let next = index + 1
      position.store(next, ordering: .releasing)
      if attention.load(ordering: .acquiring) { break }
      guard let registration = slots[isReversed ? slots.count - 1 - next : next] else {
        index = next
        continue
      }
      guard let listener = registration.plain else {
        guard registration.isQuick else { break }
        // A run of them has its own loop.
        if !tellQuickOnes(&index, round) { return false }
        continue
      }
      index = next
      guard mayTell(registration, transition) else { continue }
      recorder?(registration.name, transition)
      var failure: ListenerFailure?
      do {
        try await Registration.tell(listener, transition)
      } catch {
        failure = registration.failed(error, transition, kind.isForeign)
      }
      guard failure != nil || attention.load(ordering: .acquiring), let step = steps[next] else { continue }
      if !settle(step, failure, round) { return false }
    }
    return true
  }
}

extension Registration {
  /// Whether it can be told without a suspension and without a clock.
  var isQuick: Bool {
    switch content {
    case .synchronous: true
    case .particular(let particulars): particulars.isQuick
    default: false
    }
  }

  /// The listener, if it has no abilities, no limit and no group.
  var plain: (any LifecycleListener)? {
    switch content {
    case .plain(let listener): listener
    case .particular(let particulars): particulars.plain
    default: nil
    }
  }

  /// Whether it was told, or is to be told nothing: an object that needs nothing but the call.
  @inline(__always)
  func tellAtOnce(_ transition: LifecycleTransition, _ isForeign: Bool) throws -> Bool {
    switch content {
    case .synchronous(let listener):
      if mayBeTold(of: transition.event, isForeign, false) { try listener.handle(transition) }
      return true
    default: return false
    }
  }
}
