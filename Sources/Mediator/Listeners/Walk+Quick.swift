internal import Synchronization

/// Listeners that are told without a suspension, a clock or a limit: a loop of their own, since all else costs more
/// than they do.
extension Walk {
  /// Tells those of them that come next, up to the first listener that needs more.
  ///
  /// - Returns: false when another task goes on.
  func tellQuickOnes(_ index: inout Int, _ round: Int) -> Bool {
    guard steps.transitions.count == 1, steps.needed[0].isEmpty else { return true }
    let (slots, transition) = (steps.slots, steps.transitions[0])
    let isReversed = transition.event.isReversed
    while index + 1 < slots.count, !attention.load(ordering: .acquiring) {
      let next = index + 1
      guard let registration = slots[isReversed ? slots.count - 1 - next : next] else {
        index = next
        continue
      }
      guard let listener = registration.quick else { break }
      position.store(next, ordering: .releasing)
      // Who raised it may have read the position before: the slow way looks.
      if attention.load(ordering: .acquiring) { break }
      index = next
      guard mayTell(registration, transition) else { continue }
      var failure: ListenerFailure?
      do {
        try listener.handle(transition)
      } catch {
        failure = registration.failed(error, transition, kind.isForeign)
      }
      guard failure != nil || attention.load(ordering: .acquiring), let step = steps[next] else { continue }
      if !settle(step, failure, round) { return false }
    }
    return true
  }
}
