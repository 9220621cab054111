/// The registrations of a mediator in order; adding at the end and removing cost O(1) amortised.
struct RegistrationList: Sendable {
  /// Removed ones leave a hole, so that the others keep their place.
  private var slots: [Registration?] = []
  private var places: [LifecycleMediator.Token: Int] = [:]
  private(set) var reloadListeners = 0

  var snapshot: [Registration] { slots.compactMap(\.self) }

  mutating func append(_ registration: Registration) {
    places[registration.token] = slots.count
    slots.append(registration)
    count(registration, 1)
  }

  /// Puts the newcomer before another; at the end if that one is not in the list. Costs O(n).
  mutating func insert(_ registration: Registration, before other: LifecycleMediator.Token) {
    guard let place = places[other] else { return append(registration) }
    slots.insert(registration, at: place)
    count(registration, 1)
    renumber()
  }

  mutating func remove(_ token: LifecycleMediator.Token) -> Registration? {
    guard let place = places.removeValue(forKey: token), let registration = slots[place] else { return nil }
    slots[place] = nil
    count(registration, -1)
    if slots.count > 16, places.count < slots.count / 2 {
      slots.removeAll { $0 == nil }
      renumber()
    }
    return registration
  }

  private mutating func renumber() {
    for (place, registration) in slots.enumerated() {
      if let registration { places[registration.token] = place }
    }
  }

  private mutating func count(_ registration: Registration, _ change: Int) {
    if registration.entry.reloading != nil { reloadListeners += change }
  }
}
