import Mediator
import Testing

@Suite("What STATUS says")
struct StatusTextTests {
  @Test(
    "A17: one line, at most 512 bytes, cut at a character, control characters become spaces",
    arguments: [
      ("plain", "plain", "plain"),
      ("newlines and NUL", "a\nb\r\nc\0d", "a b  c d"),
      ("escape and C1", "\u{1B}[2J\u{9B}x", " [2J x"),
      ("line separator and right-to-left override", "a\u{2028}b\u{202E}c", "a b c"),
      ("a character that does not fit whole", letters(511) + "é", letters(511)),
      ("a family that does not fit whole", letters(500) + "👨‍👩‍👧", letters(500)),
      ("5,000 bytes", letters(5000), letters(512)),
      ("empty", "", ""),
    ])
  func clean(label: String, text: String, expected: String) {
    #expect(StatusText.clean(text) == expected, "\(label)")
    #expect(StatusText.clean(text).utf8.count <= StatusText.limit)
  }

  static func letters(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test("A17: bytes that are no UTF-8 arrive as valid UTF-8")
  func invalid() {
    let text = String(decoding: [0x61, 0xFF, 0x62] as [UInt8], as: UTF8.self)
    #expect(StatusText.clean(text) == "a\u{FFFD}b")
  }

  @Test("The lines of each datagram, READY always last")
  func lines() {
    let table: [(ManagerNotice, [String])] = [
      (ManagerNotice(status: "s"), ["STATUS=s"]),
      (ManagerNotice(.ready, status: "s", errno: 0), ["STATUS=s", "ERRNO=0", "READY=1"]),
      (ManagerNotice(.reloading, status: "s"), ["RELOADING=1", "MONOTONIC_USEC=5", "STATUS=s"]),
      (ManagerNotice(.reloaded, status: "s"), ["RELOADING=1", "MONOTONIC_USEC=5", "STATUS=s", "READY=1"]),
      (ManagerNotice(.stopping, status: "s", errno: 2), ["STOPPING=1", "STATUS=s", "ERRNO=2"]),
    ]
    for (notice, lines) in table { #expect(notice.lines { 5 } == lines) }
  }
}
