/// Who sleeps, and until when: a plain value, which whoever owns it looks at in time.
struct Sleepers<Waiter: Sendable>: Sendable {
  private var sleeping: [UInt64: (due: SuspendingClock.Instant, waiter: Waiter)] = [:]
  private var last: UInt64 = 0
  /// When the next one is due.
  private(set) var earliest: SuspendingClock.Instant?

  /// A number for somebody who is about to sleep.
  mutating func number() -> UInt64 {
    last += 1
    return last
  }

  mutating func add(_ number: UInt64, until due: SuspendingClock.Instant, _ waiter: Waiter) {
    sleeping[number] = (due, waiter)
    earliest = min(earliest ?? due, due)
  }

  /// nil when its time is over already, or it does not sleep yet.
  mutating func remove(_ number: UInt64) -> Waiter? {
    guard let removed = sleeping.removeValue(forKey: number) else { return nil }
    if removed.due == earliest { earliest = sleeping.values.lazy.map(\.due).min() }
    return removed.waiter
  }

  /// Those whose time is over, in the order in which it was.
  mutating func takeDue(at now: SuspendingClock.Instant) -> [Waiter] {
    guard let earliest, earliest <= now else { return [] }
    let due = sleeping.filter { $1.due <= now }.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
    for (number, _) in due { sleeping[number] = nil }
    self.earliest = sleeping.values.lazy.map(\.due).min()
    return due.map(\.value.waiter)
  }
}
