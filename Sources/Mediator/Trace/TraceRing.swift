/// Where the entries of a trace are kept: a pure value of bounded size.
struct TraceRing: Sendable {
  typealias Entry = LifecycleTrace.Entry

  /// How long a text may be, in bytes.
  static let textLimit = 256

  /// How many of the first entries stay for ever.
  private let head: Int
  /// How many places follow, in which the newest take the place of the oldest.
  private let tail: Int
  private var places: [Entry] = []
  private var newest: UInt64 = 0
  /// The number of the state that has not ended.
  private var state: UInt64 = 0

  init(capacity: Int) {
    let capacity = max(capacity, 4)
    head = capacity / 4
    tail = capacity - head
  }

  /// In the order in which they began.
  var entries: [Entry] {
    guard dropped > 0 else { return places }
    let oldest = head + Int((newest - UInt64(head)) % UInt64(tail))
    return Array(places[..<head]) + places[oldest...] + places[head..<oldest]
  }

  var dropped: UInt64 { newest - UInt64(places.count) }

  mutating func begin(_ kind: Entry.Kind, serial: UInt64, at now: ContinuousClock.Instant) -> UInt64 {
    add(Entry(number: newest + 1, kind, serial: serial, began: now))
    return newest
  }

  mutating func end(_ number: UInt64, _ result: Entry.Result, at now: ContinuousClock.Instant) {
    guard let place = place(of: number), places[place].result == nil else { return }
    places[place].duration = places[place].began.duration(to: now)
    places[place].result = result
  }

  mutating func enter(_ state: LifecycleState, at now: ContinuousClock.Instant) {
    end(self.state, .completed, at: now)
    self.state = begin(.state(state), serial: 0, at: now)
  }

  mutating func note(_ kind: Entry.Kind, _ result: Entry.Result, at now: ContinuousClock.Instant) {
    // Pings of a day would leave room for nothing else.
    if case .notify = kind, let place = place(of: newest), places[place].kind == kind, places[place].result == result {
      places[place].duration = places[place].began.duration(to: now)
      places[place].count += 1
      return
    }
    add(Entry(number: newest + 1, kind, began: now, duration: .zero, result: result))
  }

  private mutating func add(_ entry: Entry) {
    newest = entry.number
    if places.count < head + tail { return places.append(entry) }
    places[index(of: entry.number)] = entry
  }

  /// nil when it has made room.
  private func place(of number: UInt64) -> Int? {
    guard number > 0, number <= newest else { return nil }
    let index = index(of: number)
    return places[index].number == number ? index : nil
  }

  private func index(of number: UInt64) -> Int {
    let index = number - 1
    return index < UInt64(head) ? Int(index) : head + Int((index - UInt64(head)) % UInt64(tail))
  }

  /// The text as it is, or its beginning with an ellipsis.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > textLimit else { return text }
    let end = text.utf8.index(text.startIndex, offsetBy: textLimit - 3)
    // Inside the bytes of a scalar it is rounded down.
    return String(text.unicodeScalars[..<end]) + "…"
  }
}
