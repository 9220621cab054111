import MediatorTestKit
import Testing

@testable import lifecycled

@Suite("Lines that tell readiness", .timeLimit(.minutes(5)))
struct LogMatcherTests {
  /// After which piece the pattern matched, counted from 1, and one more for the end; each is told once.
  private func matches(_ pattern: String, _ pieces: [[UInt8]]) throws -> [Int] {
    var matcher = LogMatcher(try LogPattern(pattern))
    var found: [Int] = []
    for (index, piece) in pieces.enumerated() where matcher.take(piece) { found.append(index + 1) }
    if matcher.end() { found.append(pieces.count + 1) }
    return found
  }

  private func matches(_ pattern: String, _ pieces: [String]) throws -> [Int] {
    try matches(pattern, pieces.map { Array($0.utf8) })
  }

  @Test("F04: a line may come in two writes, wherever it is split")
  func split() throws {
    let text = Array("starting\nnow ready to serve é\nmore\n".utf8)
    let line = text.split(separator: 0x0A)[1].endIndex
    for place in text.indices {
      let expected = place > line ? [1] : [2]
      #expect(try matches("ready to (serve|run) é$", [Array(text[..<place]), Array(text[place...])]) == expected)
    }
    #expect(try matches("ready", text.map { [$0] }) == [line + 1])
  }

  @Test("F04: the 65,500th byte of a line, with and without a leading .*, and a line of just the limit")
  func long() throws {
    let line = String(repeating: "x", count: 65_500) + "ready"
    for pattern in ["ready", "^x+ready$", ".*ready.*", ".*?ready", ".+ready", "(?i).*READY"] {
      #expect(try matches(pattern, ["a\n", line, "\n", line + "\n"]) == [3])
      #expect(try matches(pattern, [String(line.dropLast()), "\n", "eady"]) == [])
    }
    let whole = "^" + String(repeating: "x", count: LogMatcher.lineLimit - 5) + "ready"
    for pieces in [[whole.dropFirst() + "\n"], [whole.dropFirst() + "", "\n"], [whole.dropFirst() + ""]] {
      #expect(try matches("^x+ready$", pieces) == [pieces.count + (pieces.last!.hasSuffix("\n") ? 0 : 1)])
    }
  }

  @Test("F04: a last line without its end counts at the end of the output")
  func last() throws {
    #expect(try matches("ready", ["a\nready"]) == [2])
    #expect(try matches("ready", ["a\nread"]) == [])
    #expect(try matches("ready", ["a\nready\n"]) == [1])
    #expect(try matches("^$", ["a\n"]) == [])
    #expect(try matches("ready", [String]()) == [])
  }

  @Test("A line that is far too long is looked at in pieces, and what lies across two of them is found")
  func tooLong() throws {
    let limit = LogMatcher.lineLimit
    for place in [limit - 3, limit, limit + 1, 2 * limit - LogMatcher.overlap, 3 * limit + 17] {
      let bytes =
        [UInt8](repeating: UInt8(ascii: "x"), count: place) + Array("ready".utf8)
        + [UInt8](repeating: UInt8(ascii: "y"), count: limit)
      #expect(try matches("ready", [bytes + [0x0A]]) == [1])
      #expect(try matches("ready", [bytes]).count == 1)
      #expect(try matches("unready", [bytes + [0x0A]]) == [])
    }
  }

  @Test("A line is told once, a pattern spans no two lines, and CR before the line end does not count")
  func lines() throws {
    #expect(try matches("ready", ["ready\nready\n", "ready\n", "ready"]) == [1])
    #expect(try matches("a.*b|a\\nb", ["a\nb\n", "a", "\n", "b\n"]) == [])
    #expect(try matches("^ready$", ["ready\r\n"]) == [1])
    #expect(try matches("^ready$", ["READY\n", " ready\n", "(ready)\n"]) == [])
    #expect(try matches("^$", ["a\n", "\n"]) == [2])
  }

  @Test("Bytes that are not UTF-8, and zeros, are no reason to stop looking")
  func notText() throws {
    let bytes: [UInt8] = [0xFF, 0, 0x9B, 0xC3] + Array("ready".utf8) + [0xED, 0xA0, 0x80, 0xF0, 0x9F, 0x0A]
    #expect(try matches("ready", [bytes]) == [1])
    #expect(try matches("\u{FFFD}ready", [bytes]) == [1])
    #expect(try matches("é", [Array("é\n".utf8)]) == [1])
  }

  @Test(
    "A pattern that is none is an error with words",
    arguments: ["(", "[", "*", "\\", "(?<n>a)\\k<m>", "a{3,2}", "(?<=a)b"])
  func invalid(pattern: String) {
    #expect(LogPattern.problem(in: pattern)?.isEmpty == false)
  }

  @Test(
    "A pattern matches as it would with a leading .* left in",
    arguments: [
      ".*", ".*?", ".*a", ".*a|b", ".*|a", ".*+a", ".*{2}", ".*?+a", ".*(a)\\1", ".*.*a", "\\.*a", ".+", ".+?", ".+a",
      ".+a|b", ".+|a", ".++a", ".+(a)\\1", "(?i).*A", "(?i).+A", "(?s).*a", "(?:).*a", "(?i:.*A)",
      "(?x).* + a", "(?i)a",
    ])
  func lead(pattern: String) throws {
    guard let regex = try? Regex(pattern) else {
      #expect(LogPattern.problem(in: pattern) != nil)
      return
    }
    #expect(LogPattern.problem(in: pattern) == nil)
    for line in ["", "a", "b", "xa", "xb", "aa", "x", "{2}", "+a", ".a", "a{2}"] {
      let isMatch = try regex.firstMatch(in: line) != nil
      #expect(try LogPattern(pattern).matches(Array(line.utf8)) == isMatch, "\(pattern) in \(line)")
    }
  }

  @Test("Random output in random pieces is matched as its lines are", arguments: [1, 2, 3] as [UInt64])
  func random(seed: UInt64) throws {
    var generator = SplitMix64(state: seed)
    let pattern = try LogPattern("re+ady|é$")
    let slow = try Regex("re+ady|é$").matchingSemantics(.unicodeScalar)
    let words =
      ["re", "ad", "y", "ready", "\n", "\n", "\r\n", "é", "x"].map { Array($0.utf8) } + [[0xFF], [0xC3], [0]]
    for _ in 0..<2_000 {
      let pieces = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        (0..<Int.random(in: 0...3, using: &generator)).flatMap { _ in words.randomElement(using: &generator)! }
      }
      let lines = Array(pieces.joined()).split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }
      let expected = try lines.contains { try slow.firstMatch(in: String(decoding: $0, as: UTF8.self)) != nil }
      var matcher = LogMatcher(pattern)
      var count = 0
      for piece in pieces where matcher.take(piece) { count += 1 }
      if matcher.end() { count += 1 }
      #expect(count == (expected ? 1 : 0), "\(pieces)")
    }
  }
}
