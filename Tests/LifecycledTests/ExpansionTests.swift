import Testing

@testable import lifecycled

@Suite("Specifiers and variables", .timeLimit(.minutes(5)))
struct ExpansionTests {
  private let specifiers = Specifiers(name: "10-db@main.hook", runtimeDirectory: "/run")

  @Test(
    "E05: known specifiers are replaced, a lone percent sign stays",
    arguments: [
      ("%n", "10-db@main.hook"), ("%i", "main"), ("%t/x", "/run/x"), ("%%", "%"), ("50%", "50%"), ("100%.", "100%."),
      ("a%-b", "a%-b"), ("% x", "% x"), ("%%n", "%n"), ("%%%n", "%10-db@main.hook"), ("é%é", "é%é"), ("", ""),
    ])
  func replaced(text: String, expected: String) {
    var problems: [Specifiers.Problem] = []
    #expect(specifiers.expand(text, problems: &problems) == expected)
    #expect(problems.isEmpty)
  }

  @Test("E05: any other specifier is an error with a hint, each of them", arguments: ["%3A", "%Q", "x%Hy", "%z%a"])
  func unknown(text: String) {
    var problems: [Specifiers.Problem] = []
    _ = specifiers.expand(text, problems: &problems)
    #expect(problems.count == text.filter { $0 == "%" }.count)
    #expect(problems[0].what.contains("is not a specifier"))
    #expect(problems[0].advice.contains("write %%"))
  }

  @Test("%t without a runtime directory is an error; %i of no instance is empty")
  func missingValues() {
    let bare = Specifiers(name: "a.hook", runtimeDirectory: nil)
    var problems: [Specifiers.Problem] = []
    #expect(bare.expand("[%i]", problems: &problems) == "[]")
    #expect(problems.isEmpty)
    _ = bare.expand("%t", problems: &problems)
    #expect(problems.map(\.what) == ["%t has no value: XDG_RUNTIME_DIR is not set"])
  }

  @Test(
    "Variables are expanded as systemd.service(5) says",
    arguments: [
      (["$TWO"], ["one", "two three"]), (["${TWO}"], [#"one "two three""#]), (["x${A}y"], ["xvy"]), (["x$A"], ["x$A"]),
      (["$$A"], ["$A"]), (["$$$$"], ["$$"]), (["a$$"], ["a$"]), (["$"], ["$"]), (["${A"], ["${A"]),
      (["$UNSET"], []), (["${UNSET}"], [""]), (["$EMPTY", "b"], ["b"]), (["$A-b"], []), (["${A}${A}"], ["vv"]),
      (["$QUOTED"], ["", "a b", "c\"d"]), (["100$"], ["100$"]), ([""], [""]), (["$1"], []),
    ])
  func variables(words: [String], expected: [String]) {
    let environment = ["A": "v", "TWO": #"one "two three""#, "EMPTY": " ", "QUOTED": #"'' a\ b c\"d"#]
    #expect(VariableExpansion.expand(words, environment: environment) == expected)
  }

  @Test("What a variable holds is not expanded again")
  func noSecondRound() {
    #expect(
      VariableExpansion.expand(["${A}", "$A"], environment: ["A": "${B} $C", "B": "x"]) == ["${B} $C", "${B}", "$C"])
  }
}
