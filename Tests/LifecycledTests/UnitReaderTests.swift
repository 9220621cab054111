import Testing

@testable import lifecycled

@Suite("Unit syntax", .timeLimit(.minutes(5)))
struct UnitReaderTests {
  private func read(_ text: String) -> (pairs: [String], faults: [String]) { read(Array(text.utf8)) }

  private func read(_ bytes: [UInt8]) -> (pairs: [String], faults: [String]) {
    let (unit, faults) = UnitReader.read(bytes, file: "f")
    let pairs = unit.sections.flatMap { section in
      section.entries.map { "\(section.name):\($0.line):\($0.key)=\($0.value)" }
    }
    return (pairs, faults.map(\.description))
  }

  @Test("E01: a comment that ends in a backslash does not swallow the next line", arguments: ["#", ";", " \t#"])
  func commentDoesNotContinue(mark: String) {
    let result = read("[S]\n\(mark) note \\\nA=1\n")
    #expect(result.pairs == ["S:3:A=1"])
    #expect(result.faults.isEmpty)
  }

  @Test("E02: an empty line ends a continued value and the next key counts")
  func emptyLineEndsContinuation() {
    let result = read("[S]\nA=one \\\n\nB=2\nC=x \\\n   \nD=4\n")
    #expect(result.pairs == ["S:2:A=one", "S:4:B=2", "S:5:C=x", "S:7:D=4"])
    #expect(result.faults.isEmpty)
  }

  @Test("E03: a blank after the last backslash is named, and the value goes on as was meant", arguments: [" ", "\t"])
  func blankAfterBackslash(blank: String) {
    let result = read("[S]\nA=one \\\(blank)\n  two\nB=2\n")
    #expect(
      result.faults == [
        "f:2: a blank follows the backslash at the end of the line (remove the blank to continue the line)"
      ])
    #expect(result.pairs == ["S:2:A=one    two", "S:4:B=2"])
  }

  @Test("E03: two backslashes and a blank are a literal backslash, not a fault")
  func doubledBackslashBeforeBlank() {
    let result = read("[S]\nA=x\\\\ \nB=2\n")
    #expect(result.pairs == ["S:2:A=x\\\\", "S:3:B=2"])
    #expect(result.faults.isEmpty)
  }

  @Test("E06: a byte order mark and CRLF are accepted, also in a continuation")
  func byteOrderMarkAndCRLF() {
    let result = read("\u{FEFF}[S]\r\nA=1 \\\r\n2\r\n\r\n# c\r\nB=3\r\n")
    #expect(result.pairs == ["S:2:A=1  2", "S:6:B=3"])
    #expect(result.faults.isEmpty)
  }

  @Test("E06: NUL, invalid UTF-8, a bare carriage return and UTF-16 are faults that name their line")
  func unreadableBytes() {
    let bytes = Array("[S]\nA=x".utf8) + [0] + Array("\nB=".utf8) + [0xFF] + Array("\nC=1\rD=2\nE=5\n".utf8)
    let result = read(bytes)
    #expect(result.pairs == ["S:5:E=5"])
    #expect(
      result.faults == [
        "f:2: a NUL byte stands in this line (is this a text file?)",
        "f:3: this line is not valid UTF-8 (save the file as UTF-8)",
        "f:4: a carriage return stands inside this line (end lines with LF or CRLF)",
      ])
    #expect(read([0xFF, 0xFE, 0x5B, 0x00]).faults == ["f:1: this is UTF-16 (save the file as UTF-8)"])
  }

  @Test("Invalid UTF-8 inside a comment does no harm, as in systemd")
  func latin1Comment() {
    let result = read(Array("[S]\n# gr".utf8) + [0xFC] + Array("n\nA=1\n".utf8))
    #expect(result.pairs == ["S:3:A=1"])
    #expect(result.faults.isEmpty)
  }

  @Test("E09: every fault of a file is named, not the first")
  func allFaults() {
    let result = read("A=0\n[S]\nno equals\n=v\n[S\nB=2\n[]\nC=3\n[T] # note\n")
    #expect(
      result.faults == [
        "f:1: A= stands outside any section (begin the file with a section header such as [Hook])",
        "f:3: there is no = in 'no equals' (write KEY=VALUE, or # before a comment)",
        "f:4: there is no key before the = in '=v'",
        "f:5: the section header '[S' does not end in ]",
        "f:7: the section header has no name",
        "f:9: the section header '[T] # note' does not end in ] (a comment needs a line of its own)",
      ])
    #expect(result.pairs == ["S:6:B=2", ":8:C=3"])
  }

  @Test(
    "What systemd 252 reads is read the same",
    arguments: [
      (
        "comments inside a continuation vanish", "[S]\nA=\\\n  one \\\n# c \\\n; d\n   two \\\n\nB=2\n",
        ["S:2:A=one     two", "S:8:B=2"]
      ),
      ("a file may end inside a continuation", "[S]\nA=1 \\", ["S:2:A=1"]),
      ("blanks around key, = and value vanish", "[S]\n  A \t=  x y \t\n", ["S:2:A=x y"]),
      ("a header may be indented", " [S] \nA=1\n", ["S:2:A=1"]),
      ("a value may hold = and #", "[S]\nA=b=c # d\n", ["S:2:A=b=c # d"]),
      ("keys repeat, in order", "[S]\nA=1\nA=\nA=2\n", ["S:2:A=1", "S:3:A=", "S:4:A=2"]),
      ("sections repeat", "[S]\nA=1\n[T]\nB=2\n[S]\nA=3\n", ["S:2:A=1", "T:4:B=2", "S:6:A=3"]),
      ("odd section names", "[X-Foo Bar.é]\nA=1\n", ["X-Foo Bar.é:2:A=1"]),
      ("an empty file", "", []),
      ("only comments", "# a\n\n;b", []),
      ("three backslashes: one literal pair, one continuation", "[S]\nA=x\\\\\\\ny\n", ["S:2:A=x\\\\ y"]),
      ("a key with a blank", "[S]\nFoo Bar = 1\n", ["S:2:Foo Bar=1"]),
    ] as [(String, String, [String])])
  func likeSystemd(what: String, text: String, pairs: [String]) {
    let result = read(text)
    #expect(result.pairs == pairs, Comment(rawValue: what))
    #expect(result.faults.isEmpty, Comment(rawValue: what))
  }

  @Test("A megabyte of continuations is read in time that grows with its length")
  func longContinuation() {
    let line = Array("x\\\n".utf8)
    var bytes = Array("[S]\nA=".utf8)
    while bytes.count < 1 << 20 { bytes += line }
    let (unit, faults) = UnitReader.read(bytes, file: "f")
    #expect(unit.sections[0].entries.count == 1)
    #expect(faults.isEmpty)
  }

  @Test("A file that is no unit at all gives a bounded number of faults")
  func boundedFaults() {
    let (_, faults) = UnitReader.read(
      [UInt8](repeating: 0x0A, count: 10).flatMap { _ in
        Array(repeating: [0x78, 0x0A] as [UInt8], count: 500).flatMap { $0 }
      }, file: "f")
    #expect(faults.count == UnitReader.faultLimit + 1)
    #expect(faults.last?.what == "4000 further faults are not listed")
  }

  @Test("A value in a message is cut and its control characters are shown")
  func messagesAreSafe() {
    let fault = read("[S]\n\u{1B}[2J" + String(repeating: "y", count: 200) + "\n").faults[0]
    #expect(fault.hasPrefix("f:2: there is no = in '\\x1b[2Jyyy"))
    #expect(fault.contains("…'"))
    #expect(fault.count < 200)
  }
}
