import Testing

@testable import lifecycled

@Suite("F18: foreign text is made safe", .timeLimit(.minutes(5)))
struct EscapedTests {
  @Test(
    "F18: control characters and what turns text around become visible",
    arguments: [
      ("<0>x\r\u{1B}[2J", #"<0>x\x0d\x1b[2J"#), ("a\nb\u{0}c\u{7F}", #"a\x0ab\x00c\x7f"#), ("\u{9B}31m", #"\u009b31m"#),
      ("\u{85}", #"\u0085"#), ("a\u{202E}b\u{2066}c", #"a\u202eb\u2066c"#), ("a\u{2028}b\u{2029}", #"a\u2028b\u2029"#),
      ("\u{200F}\u{061C}\u{FEFF}", #"\u200f\u061c\ufeff"#), ("\u{E0041}", #"\U000e0041"#),
    ])
  func dangerous(text: String, expected: String) {
    #expect(Escaped.text(text) == expected)
    #expect(Escaped.text(Array(text.utf8)) == expected)
  }

  @Test("F18: text that does no harm stays as it is", arguments: ["", "plain", "a\tb", "grün 😀 日本 é", #"C:\new \x1b"#])
  func harmless(text: String) {
    #expect(Escaped.text(text) == text)
    #expect(Escaped.text(Array(text.utf8)) == text)
  }

  @Test(
    "F18: bytes that are not UTF-8 are shown one by one",
    arguments: [
      ([0x9B, 0x32, 0x4A], #"\x9b2J"#), ([0xFF, 0xFE], #"\xff\xfe"#), ([0xC3], #"\xc3"#), ([0xC0, 0xAF], #"\xc0\xaf"#),
      ([0xED, 0xA0, 0x80], #"\xed\xa0\x80"#), ([0xE2, 0x82, 0x41], #"\xe2\x82A"#),
      ([0xF4, 0x90, 0x80, 0x80], #"\xf4\x90\x80\x80"#),
      ([0xF0, 0x82, 0x82, 0xAC], #"\xf0\x82\x82\xac"#), ([0x41, 0xC2, 0x9B], #"A\u009b"#),
      ([0xC3, 0xA9, 0xC3], #"é\xc3"#),
    ] as [([UInt8], String)])
  func bytes(bytes: [UInt8], expected: String) {
    #expect(Escaped.text(bytes) == expected)
  }

  @Test("F18: no single byte and no pair of bytes lets a control character through, and escaping twice changes nothing")
  func everyPair() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let escaped = Escaped.text([first, second])
        let hasControl = escaped.unicodeScalars.contains {
          ($0.value < 0x20 && $0.value != 9) || (0x7F...0x9F).contains($0.value)
        }
        if hasControl { Issue.record("\(first) \(second) give \(escaped.utf8.map { $0 })") }
        if Escaped.text(escaped) != escaped { Issue.record("\(first) \(second) change again") }
      }
    }
  }
}
