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
  let transitions: [LifecycleTransition]
  let needed: [AbilitySet]
  let count: Int

  init(_ slots: [Registration?], _ transitions: [LifecycleTransition]) {
    self.slots = slots
    self.transitions = transitions
    needed = transitions.map { AbilitySet.needed(for: $0.event) }
    count = slots.count * transitions.count
  }

  /// nil for a hole, and out of bounds.
  subscript(_ index: Int) -> Step? {
    guard index >= 0, index < count else { return nil }
    let pass = transitions.count == 1 ? 0 : index / slots.count
    guard let registration = slots[place(of: index, in: pass)] else { return nil }
    return Step(registration: registration, transition: transitions[pass], needed: needed[pass])
  }

  private func place(of index: Int, in pass: Int) -> Int {
    let offset = index - pass * slots.count
    return transitions[pass].event.isReversed ? slots.count - 1 - offset : offset
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
    let isReversed = transitions[pass].event.isReversed
    return (isReversed ? branches.map { $0.reversed() } : branches, last)
  }

  /// What the group holds directly: the listener, or the group that it is in.
  private static func member(_ registration: Registration, of node: GroupNode) -> ObjectIdentifier? {
    guard let group = registration.group else { return nil }
    if group === node { return ObjectIdentifier(registration) }
    return group.chain.first { $0.parent === node }.map { ObjectIdentifier($0) }
  }
}
