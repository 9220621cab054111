/// Who is told what in a walk, by position: for each transition all listeners, in the order of its event.
struct WalkSteps: Sendable {
  /// One listener to be told of one transition.
  struct Step: Sendable {
    var registration: Registration
    var transition: LifecycleTransition
    /// The ability that the event needs.
    var needed: AbilitySet

    /// Somebody whom a reload needs, and who takes part in nothing any more.
    var isLostToReload: Bool {
      transition.event == .prepareReload && registration.isStuck && registration.isRequired
        && registration.abilities.contains(.reload)
    }
  }

  /// In registration order, with the holes of those that were removed.
  let slots: [Registration?]
  /// What all of them are told first.
  let transition: LifecycleTransition?
  /// What follows, for a newcomer or for one that leaves.
  private let others: [LifecycleTransition]
  let count: Int

  init(_ slots: [Registration?], _ transition: LifecycleTransition) {
    self.slots = slots
    self.transition = transition
    others = []
    count = slots.count
  }

  init(_ slots: [Registration?], _ transitions: [LifecycleTransition]) {
    self.slots = slots
    transition = transitions.first
    others = Array(transitions.dropFirst())
    count = slots.count * transitions.count
  }

  /// The only one that is told; nil when there are several.
  var single: LifecycleTransition? { others.isEmpty ? transition : nil }

  /// Whether whoever is told first needs no suspension.
  var beginsQuickly: Bool {
    guard let single, AbilitySet.needed(for: single.event).isEmpty else { return false }
    let first = single.event.isReversed ? slots.last : slots.first
    return first??.isQuick == true
  }

  var hasBudget: Bool { transition?.hasBudget == true || others.contains(where: \.hasBudget) }

  /// nil for a hole, and out of bounds.
  subscript(_ index: Int) -> Step? {
    guard index >= 0, index < count else { return nil }
    let pass = others.isEmpty ? 0 : index / slots.count
    guard let transition = pass == 0 ? transition : others[pass - 1] else { return nil }
    let offset = index - pass * slots.count
    let place = transition.event.isReversed ? slots.count - 1 - offset : offset
    guard let registration = slots[place] else { return nil }
    return Step(
      registration: registration, transition: transition, needed: AbilitySet.needed(for: transition.event))
  }

  /// The members of a group from an index on, each member's listeners as a list of their own, in registration order.
  ///
  /// - Returns: the branches, and the last index that belongs to the group.
  func branches(of node: GroupNode, from index: Int) -> (branches: [[Registration]], last: Int) {
    let pass = index / slots.count
    let end = (pass + 1) * slots.count
    var branches: [[Registration]] = []
    var keys: [ObjectIdentifier] = []
    var last = index
    for current in index..<end {
      guard let registration = self[current]?.registration else { continue }
      guard let key = Self.member(registration, of: node) else { break }
      last = current
      if keys.last == key {
        branches[branches.count - 1].append(registration)
      } else {
        keys.append(key)
        branches.append([registration])
      }
    }
    let isReversed = (pass == 0 ? transition : others[pass - 1])?.event.isReversed == true
    return (isReversed ? branches.map { $0.reversed() } : branches, last)
  }

  /// What the group holds directly: the listener, or the group that it is in.
  private static func member(_ registration: Registration, of node: GroupNode) -> ObjectIdentifier? {
    guard let group = registration.group else { return nil }
    if group === node { return ObjectIdentifier(registration) }
    return group.chain.first { $0.parent === node }.map { ObjectIdentifier($0) }
  }
}
