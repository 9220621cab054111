/// The registrations of a mediator in order; adding at the end and removing cost O(1) amortised.
struct RegistrationList: Sendable {
  /// Removed ones leave a hole, so that the others keep their place. The members of a group stand side by side.
  private(set) var slots: [Registration?] = []
  private var places: [LifecycleMediator.Token: Int] = [:]
  /// The members of the groups, by the tokens of the outermost.
  private var groups: [LifecycleMediator.Token: [LifecycleMediator.Token]] = [:]

  var all: [Registration] { slots.compactMap(\.self) }

  /// - Parameter group: the token under which all of them can be removed, if it is not their own.
  mutating func append(_ registrations: [Registration], group: LifecycleMediator.Token? = nil) {
    if let group { groups[group] = registrations.map(\.token) }
    for registration in registrations {
      places[registration.token] = slots.count
      slots.append(registration)
    }
  }

  /// Puts the newcomers before another entry; at the end if that one is not in the list. Costs O(n).
  mutating func insert(
    _ registrations: [Registration], group: LifecycleMediator.Token? = nil, before other: LifecycleMediator.Token
  ) {
    guard let place = place(of: other) else { return append(registrations, group: group) }
    if let group { groups[group] = registrations.map(\.token) }
    slots.insert(contentsOf: registrations, at: place)
    renumber()
  }

  func contains(_ token: LifecycleMediator.Token) -> Bool { place(of: token) != nil }

  /// The listeners of an entry, in order.
  func members(of token: LifecycleMediator.Token) -> [Registration] {
    (groups[token] ?? [token]).compactMap { places[$0].flatMap { slots[$0] } }
  }

  mutating func remove(_ token: LifecycleMediator.Token) -> [Registration] {
    let removed = members(of: token)
    groups[token] = nil
    for registration in removed {
      if let place = places.removeValue(forKey: registration.token) { slots[place] = nil }
    }
    if slots.count > 16, places.count < slots.count / 2 {
      slots.removeAll { $0 == nil }
      renumber()
    }
    return removed
  }

  private func place(of token: LifecycleMediator.Token) -> Int? {
    guard let members = groups[token] else { return places[token] }
    return members.lazy.compactMap { places[$0] }.first
  }

  private mutating func renumber() {
    for (place, registration) in slots.enumerated() {
      if let registration { places[registration.token] = place }
    }
  }
}
