/// The registrations of a mediator in order; adding at the end and removing cost O(1) amortised.
struct RegistrationList: Sendable {
  /// Removed ones leave a hole, so that the others keep their place. The members of a group stand side by side.
  private(set) var slots: [Registration?] = []
  /// The number of whoever comes next.
  private var next: UInt64 = 0
  /// Where each stands; nil as long as they stand in the order of their numbers, the newest in the last slot.
  private var places: [UInt64: Int]?
  private var count = 0
  /// The numbers of the members of the groups, by the outermost's.
  private var groups: [UInt64: [UInt64]] = [:]

  var all: [Registration] { slots.compactMap(\.self) }

  /// Makes room for so many more.
  mutating func reserve(_ count: Int) { slots.reserveCapacity(slots.count + count) }

  /// - Parameter group: the number under which all of them can be removed, if it is not their own.
  mutating func append(_ registrations: [Registration], group: UInt64? = nil) {
    number(registrations, group)
    for registration in registrations {
      places?[registration.number] = slots.count
      slots.append(registration)
    }
  }

  /// Puts the newcomers before another entry; at the end if that one is not in the list. Costs O(n).
  mutating func insert(_ registrations: [Registration], group: UInt64? = nil, before other: UInt64) {
    guard let place = place(of: other) else { return append(registrations, group: group) }
    number(registrations, group)
    slots.insert(contentsOf: registrations, at: place)
    findPlaces()
  }

  func contains(_ number: UInt64) -> Bool { place(of: number) != nil }

  mutating func remove(_ number: UInt64) -> [Registration] {
    var removed: [Registration] = []
    for member in groups.removeValue(forKey: number) ?? [number] {
      guard let place = ownPlace(of: member), let registration = slots[place] else { continue }
      removed.append(registration)
      slots[place] = nil
      places?[member] = nil
    }
    count -= removed.count
    if slots.count > 16, count < slots.count / 2 {
      slots.removeAll { $0 == nil }
      findPlaces()
    }
    return removed
  }

  private mutating func number(_ registrations: [Registration], _ group: UInt64?) {
    for registration in registrations {
      registration.number = next
      next += 1
    }
    count += registrations.count
    if let group { groups[group] = registrations.map(\.number) }
  }

  private func place(of number: UInt64) -> Int? {
    guard let members = groups[number] else { return ownPlace(of: number) }
    return members.lazy.compactMap { ownPlace(of: $0) }.first
  }

  private func ownPlace(of number: UInt64) -> Int? {
    if let places { return places[number] }
    let first = next - UInt64(slots.count)
    guard number >= first, number < next else { return nil }
    let place = Int(number - first)
    return slots[place] == nil ? nil : place
  }

  private mutating func findPlaces() {
    var places: [UInt64: Int] = [:]
    places.reserveCapacity(count)
    for (place, registration) in slots.enumerated() {
      if let registration { places[registration.number] = place }
    }
    self.places = places.isEmpty ? nil : places
  }
}
