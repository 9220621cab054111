import Testing

@testable import Mediator

@Suite("The ring of a trace", .timeLimit(.minutes(5)))
struct TraceRingTests {
  private static let start = ContinuousClock.now

  private static func ring(_ capacity: Int, filled count: Int) -> TraceRing {
    var ring = TraceRing(capacity: capacity)
    for number in 0..<count { ring.note(.notify("STATUS=\(number)"), .completed, at: start + .seconds(number)) }
    return ring
  }

  @Test(
    "The first quarter stays, of the rest the oldest go, and what is lost is counted",
    arguments: [
      (8, 0, [], 0), (8, 3, [1, 2, 3], 0), (8, 8, [1, 2, 3, 4, 5, 6, 7, 8], 0), (8, 9, [1, 2, 4, 5, 6, 7, 8, 9], 1),
      (8, 14, [1, 2, 9, 10, 11, 12, 13, 14], 6), (8, 15, [1, 2, 10, 11, 12, 13, 14, 15], 7),
      (0, 6, [1, 4, 5, 6], 2), (-1, 5, [1, 3, 4, 5], 1),
    ] as [(Int, Int, [UInt64], UInt64)])
  func bounded(capacity: Int, count: Int, kept: [UInt64], dropped: UInt64) {
    let ring = Self.ring(capacity, filled: count)
    #expect(ring.entries.map(\.number) == kept)
    #expect(ring.dropped == dropped)
  }

  @Test("Whatever the room and the number: in order, complete, never more than there is room for")
  func anyNumber() {
    for capacity in 4..<40 {
      for count in 0..<100 {
        let ring = Self.ring(capacity, filled: count)
        let numbers = ring.entries.map(\.number)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        #expect(numbers.count == min(count, capacity) && numbers.count + Int(ring.dropped) == count)
        #expect(numbers.last ?? 0 == UInt64(count))
      }
    }
  }

  @Test("What has begun ends once, with its duration; one that has made room, or never was, is nobody else's")
  func endings() {
    var ring = TraceRing(capacity: 4)
    let call = LifecycleTrace.Entry.Kind.listener("a", .didFinishLaunching, .start)
    let first = ring.begin(call, serial: 7, at: Self.start)
    #expect(ring.entries.first?.duration == nil && ring.entries.first?.result == nil)
    ring.end(first, .timedOut, at: Self.start + .seconds(2))
    ring.end(first, .completed, at: Self.start + .seconds(9))
    #expect(ring.entries.first?.duration == .seconds(2) && ring.entries.first?.result == .timedOut)
    #expect(ring.entries.first?.serial == 7)
    let second = ring.begin(call, serial: 0, at: Self.start)
    for _ in 0..<3 { _ = ring.begin(call, serial: 0, at: Self.start) }
    let before = ring.entries
    for stranger in [second, 0, 99, .max] { ring.end(stranger, .completed, at: Self.start) }
    #expect(ring.entries == before)
  }

  @Test("A datagram that is repeated is one entry with its number and its span; anything between begins another")
  func repeats() {
    var ring = TraceRing(capacity: 8)
    for second in 0..<1000 { ring.note(.notify("WATCHDOG=1"), .completed, at: Self.start + .seconds(second)) }
    ring.note(.notify("WATCHDOG=1"), .failed("gone"), at: Self.start)
    let signal = LifecycleOrigin.signal(number: SignalNumber(1), senderPID: 0, senderUID: 0, value: nil)
    for _ in 0..<2 { ring.note(.signal(signal), .completed, at: Self.start) }
    ring.note(.notify("WATCHDOG=1"), .failed("gone"), at: Self.start)
    #expect(ring.entries.map(\.count) == [1000, 1, 1, 1, 1])
    #expect(ring.entries.first?.duration == .seconds(999))
  }

  @Test("A state lasts until the next one begins")
  func states() {
    var ring = TraceRing(capacity: 8)
    for (second, state) in [LifecycleState.starting, .foreground, .stopping].enumerated() {
      ring.enter(state, at: Self.start + .seconds(second * second))
    }
    #expect(ring.entries.map(\.kind) == [.state(.starting), .state(.foreground), .state(.stopping)])
    #expect(ring.entries.map(\.duration) == [.seconds(1), .seconds(3), nil])
  }

  @Test(
    "Texts are cut at 256 bytes, never inside a character's bytes",
    arguments: [
      ("", ""), (String(repeating: "a", count: 256), String(repeating: "a", count: 256)),
      (String(repeating: "a", count: 257), String(repeating: "a", count: 253) + "…"),
      (String(repeating: "é", count: 200), String(repeating: "é", count: 126) + "…"),
      ("ab" + String(repeating: "😀", count: 100), "ab" + String(repeating: "😀", count: 62) + "…"),
      // One character of a thousand scalars.
      ("e" + String(repeating: "\u{301}", count: 999), "e" + String(repeating: "\u{301}", count: 126) + "…"),
    ])
  func cuts(text: String, expected: String) {
    #expect(TraceRing.cut(text).unicodeScalars.elementsEqual(expected.unicodeScalars))
    #expect(TraceRing.cut(text).utf8.count <= TraceRing.textLimit)
    #expect(LifecycleTrace.Entry.Kind.listener(text, .reload, .reload).cut == .listener(expected, .reload, .reload))
    #expect(LifecycleTrace.Entry.Kind.notify(text).cut == .notify(expected))
    #expect(LifecycleTrace.Entry.Result.failed(text).cut == .failed(expected))
  }
}
