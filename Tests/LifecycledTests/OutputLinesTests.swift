import Testing

@testable import lifecycled

@Suite("Lines of output", .timeLimit(.minutes(5)))
struct OutputLinesTests {
  private func lines(_ pieces: [String]) -> [String] {
    var lines = OutputLines()
    var all = pieces.flatMap { lines.take(Array($0.utf8)) }
    if let last = lines.end() { all.append(last) }
    return all.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "Bytes in any pieces give the same lines",
    arguments: [
      ([], []), (["a\n"], ["a"]), (["a", "b\nc\n"], ["ab", "c"]), (["a\n\nb"], ["a", "", "b"]), (["\n"], [""]),
      (["a\r\n"], ["a\r"]),
    ])
  func pieces(pieces: [String], expected: [String]) {
    #expect(lines(pieces) == expected)
    #expect(lines(pieces.joined().map { String($0) }) == expected)
  }

  @Test(
    "A line that is too long is cut, and its end is not a line of its own",
    arguments: [
      (8191, [8191]), (8192, [8192]), (8193, [8192, 1]), (16384, [8192, 8192]), (20000, [8192, 8192, 3616]),
    ])
  func long(count: Int, expected: [Int]) {
    let text = String(repeating: "x", count: count)
    #expect(lines([text + "\n"]).map(\.utf8.count) == expected)
    #expect(lines([text]).map(\.utf8.count) == expected)
    #expect(lines([text, "\nafter"]).map(\.utf8.count) == expected + [5])
  }
}
