import Testing

@testable import lifecycled

@Suite("Text in the columns of a terminal", .timeLimit(.minutes(5)))
struct TerminalTextTests {
  @Test(
    "Letters have one column, East Asian characters and pictures two, marks none, and what is unsafe is visible",
    arguments: [
      ("", "", 0), ("abc", "abc", 3), ("né", "né", 2), ("ne\u{301}", "ne\u{301}", 2), ("名前", "名前", 4), ("🚀", "🚀", 2),
      ("ﾊﾝ", "ﾊﾝ", 2), ("Ａ", "Ａ", 2), ("a\tb", "a b", 3), ("\u{1B}[2J", "\\x1b[2J", 7), ("a\nb", "a\\x0ab", 6),
      ("\u{202E}x", "\\u202ex", 7), ("한글", "한글", 4), ("…", "…", 1),
      ("e\u{301}\u{302}\u{303}\u{304}", "e\u{301}\u{302}", 1),
    ])
  func widths(raw: String, text: String, width: Int) {
    let found = TerminalText(raw)
    #expect(found.text.unicodeScalars.elementsEqual(text.unicodeScalars))
    #expect(found.width == width)
    #expect(found.filled(to: 10) == text + String(repeating: " ", count: 10 - width))
  }

  @Test(
    "What is too wide ends with an ellipsis, and never with half a character",
    arguments: [
      ("abcdef", 6, "abcdef", 6), ("abcdef", 5, "abcd…", 5), ("abcdef", 1, "…", 1), ("abcdef", 0, "", 0),
      ("abcdef", -3, "", 0), ("名前名前", 8, "名前名前", 8), ("名前名前", 7, "名前名…", 7), ("名前名前", 6, "名前…", 5),
      ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…", 2),
    ])
  func cuts(raw: String, limit: Int, text: String, width: Int) {
    let cut = TerminalText(raw).cut(to: limit)
    #expect(cut.text == text && cut.width == width)
  }

  @Test(
    "Long text is broken at blanks, and inside a word only where the word is wider than the line",
    arguments: [
      ("", 10, []), ("one two three", 20, ["one two three"]), ("one two three", 7, ["one two", "three"]),
      ("one two three", 8, ["one two", "three"]), ("one two three", 6, ["one", "two", "three"]),
      ("abcdefgh", 3, ["abc", "def", "gh"]), ("a bcdefgh", 3, ["a", "bcd", "efg", "h"]),
      ("名前 名前", 4, ["名前", "名前"]), ("名", 1, ["名"]), ("a  b", 1, ["a", "b"]),
    ])
  func breaks(raw: String, limit: Int, lines: [String]) { #expect(TerminalText(raw).broken(to: limit) == lines) }

  @Test("F18: whatever the text and the width: safe, within the width, and nothing but blanks is lost")
  func hostile() {
    for raw in HostileText.all {
      let text = TerminalText(raw)
      #expect(HostileText.isSafe(text.text))
      for limit in [2, 3, 7, 20, 80] {
        let cut = text.cut(to: limit)
        #expect(cut.width <= limit && HostileText.isSafe(cut.text))
        let lines = text.broken(to: limit)
        #expect(lines.allSatisfy { TerminalText($0).width <= limit })
        #expect(lines.joined().filter { $0 != " " } == text.text.filter { $0 != " " })
      }
    }
  }

  @Test(
    "Times are short: three digits, then milliseconds, then seconds, cut off and not rounded up",
    arguments: [
      (0, "0us"), (999, "999us"), (1_000, "1ms"), (1_009, "1ms"), (1_250, "1.25ms"), (12_345, "12.3ms"),
      (123_999, "123ms"), (999_999, "999ms"), (1_000_000, "1s"), (1_204_567, "1.204s"), (59_999_999, "59.999s"),
      (60_000_000, "1min"), (200_900_000, "3min 20s"), (3_600_000_000, "1h"), (93_784_000_000, "1d 2h 3min"),
      (UInt64.max, "30500568w 6d 4h"),
    ] as [(UInt64, String)])
  func briefTimes(microseconds: UInt64, text: String) {
    if microseconds == .max {
      #expect(TimeSpan.brief(microseconds).hasPrefix("30500568w"))
    } else {
      #expect(TimeSpan.brief(microseconds) == text)
    }
  }
}
