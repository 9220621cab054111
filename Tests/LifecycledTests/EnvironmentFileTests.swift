import Testing

@testable import lifecycled

@Suite("Environment files", .timeLimit(.minutes(5)))
struct EnvironmentFileTests {
  private func read(_ text: String) -> (pairs: [String], faults: [String]) {
    let (variables, faults) = EnvironmentFile.read(Array(text.utf8), file: "e")
    return (variables.map { "\($0.name)=\($0.value)" }, faults.map(\.description))
  }

  @Test(
    "Files are read as systemd.exec(5) says",
    arguments: [
      ("A=1\nB=2", ["A=1", "B=2"]), ("A = x y \t\n", ["A=x y"]), ("A=\nB=\"\"\n", ["A=", "B="]),
      ("# c\n; d\n\nno equals\nA=1\n", ["A=1"]), ("# c \\\nA=1\n", ["A=1"]),
      ("A='a \\ b'\n", ["A=a \\ b"]), ("A=\"a \\\" \\$ \\q\"\n", ["A=a \" $ \\q"]), ("A=a\\ b\\\nc\n", ["A=a bc"]),
      ("A=\"two\nlines\"\nB=2\n", ["A=two\nlines", "B=2"]), ("A=\"x\\\ny\"\n", ["A=xy"]),
      ("A='x'\"y\"\n", ["A=xy"]), ("A=x # not a comment\n", ["A=x # not a comment"]),
      ("A=1\r\nB=2\r\n", ["A=1", "B=2"]),
      ("A=1\nA=2\n", ["A=1", "A=2"]), ("A=$B\n", ["A=$B"]), ("A=x'y'\n", ["A=x'y'"]), ("", []), ("A=1\\", ["A=1"]),
    ])
  func valid(text: String, pairs: [String]) {
    let result = read(text)
    #expect(result.pairs == pairs)
    #expect(result.faults.isEmpty)
  }

  @Test(
    "Every fault of a file is named with its line",
    arguments: [
      (
        "A=1\nexport B=2\n",
        "e:2: 'export B' cannot be the name of a variable (this is no shell script: leave export out)"
      ),
      ("1A=x\n", "e:1: '1A' cannot be the name of a variable"), ("=x\n", "e:1: '' cannot be the name of a variable"),
      ("\nA=\"x\n", "e:2: a quote is not closed at the end of the file"),
      ("A=x\u{0}\n", "e:1: the value of A has control characters"),
    ])
  func faults(text: String, fault: String) {
    #expect(read(text).faults == [fault])
  }

  @Test("Invalid UTF-8 is a fault, and the rest of the file counts")
  func invalidUTF8() {
    let (variables, faults) = EnvironmentFile.read([0x41, 0x3D, 0xFF, 0x0A] + Array("B=2\n".utf8), file: "e")
    #expect(variables.map(\.name) == ["B"])
    #expect(faults.map(\.line) == [1])
  }
}
