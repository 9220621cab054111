import Testing

@testable import lifecycled

@Suite("Words in a unit file", .timeLimit(.minutes(5)))
struct UnitQuotedTests {
  @Test(
    "A word is quoted only where it needs it",
    arguments: [
      ("/usr/bin/a", "/usr/bin/a"), ("", #""""#), ("a b", #""a b""#), (";", #"";""#), ("it's", #""it's""#),
      (#"a"b\"#, #""a\"b\\""#), ("a\tb\n\u{7F}", #""a\tb\n\x7f""#), ("é", "é"), ("100%", "100%%"), ("$HOME", "$$HOME"),
      ("%\u{301}$\u{301}", "%%\u{301}$$\u{301}"),
    ])
  func quoted(word: String, text: String) {
    #expect(Array(UnitQuoted.argument(word).utf8) == Array(text.utf8))
  }

  @Test("systemd expands no variable in what it runs")
  func program() {
    #expect(UnitQuoted.program("/a $b/100%") == #""/a $b/100%%""#)
  }

  @Test("What is quoted is read as the same word again, specifiers and variables included")
  func roundTrip() {
    let words = ["/bin/a", "%n", "%%", "$x", "${x}", "$$", "a\\", "\u{1B}[2J", "'", ";", "日本 語", "\\x41"]
    let split = CommandSplitter.split(words.map(UnitQuoted.argument).joined(separator: " "))
    #expect(split.unknownEscapes.isEmpty)
    let specifiers = Specifiers(name: "a.service", runtimeDirectory: "/run")
    var problems: [Specifiers.Problem] = []
    let expanded = (split.commands.first ?? []).map { specifiers.expand($0, problems: &problems) }
    #expect(problems.isEmpty)
    #expect(VariableExpansion.expand(expanded, environment: ["x": "y"]) == words)
  }
}
