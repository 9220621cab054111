import Testing

@testable import lifecycled

/// What `systemd-analyze verify` of 252 showed for the same values.
@Suite("Exec= is split as systemd splits it", .timeLimit(.minutes(5)))
struct CommandSplitterTests {
  @Test("E04: a lone semicolon separates commands, an escaped or inner one is literal")
  func semicolons() {
    let result = CommandSplitter.split(#"/bin/a x ; /bin/b \; c;d ;/e ";" ; ; /bin/c ;"#)
    #expect(result.commands == [["/bin/a", "x"], ["/bin/b", ";", "c;d", ";/e", ";"], ["/bin/c"]])
    #expect(result.problem == nil)
  }

  @Test(
    "Words, quotes and escapes",
    arguments: [
      (#"/bin/echo a"b c"d 'x y' \x41\101"#, ["/bin/echo", "ab cd", "x y", "AA"]),
      (#"a "" '' b''c"#, ["a", "", "", "bc"]),
      (#"a "it's" 'say "hi"'"#, ["a", "it's", #"say "hi""#]),
      (#"a \s|\t| "\n" \u00e9 \U0001F600"#, ["a", " |\t|", "\n", "é", "😀"]),
      (#"a \\; "\\""#, ["a", #"\;"#, #"\"#]),
      ("  a \t b  ", ["a", "b"]),
      ("a $$ ${X} $Y", ["a", "$$", "${X}", "$Y"]),
      (#"a "x  y" z"#, ["a", "x  y", "z"]),
    ])
  func words(value: String, words: [String]) {
    let result = CommandSplitter.split(value)
    #expect(result.commands == [words])
    #expect(result.problem == nil)
    #expect(result.unknownEscapes.isEmpty)
  }

  @Test(
    "An escape that systemd does not know stays as it is and is reported",
    arguments: [
      (#"a \q"#, [#"\q"#]), (#"a "\;""#, [#"\;"#]), (#"a \;x"#, [#"\;x"#]), (#"a \x00"#, [#"\x00"#]),
      (#"a \400"#, [#"\400"#]), (#"a \x4"#, [#"\x4"#]), (#"a \u0000"#, [#"\u0000"#]), (#"a \é"#, [#"\é"#]),
      (#"a x\"#, [#"x\"#]),
    ])
  func unknownEscapes(value: String, arguments: [String]) {
    let result = CommandSplitter.split(value)
    #expect(result.commands == [["a"] + arguments])
    #expect(result.unknownEscapes.count == 1)
  }

  @Test(
    "What cannot be split says why",
    arguments: [
      (#"/bin/echo "a'b x"#, "the quote \" is not closed"), ("a 'b", "the quote ' is not closed"),
      (#"a \xff"#, "the escapes do not give valid UTF-8"),
    ])
  func problems(value: String, problem: String) {
    #expect(CommandSplitter.split(value).problem == problem)
  }

  @Test("Nothing but separators gives no command", arguments: ["", " ", ";", " ; ; "])
  func nothing(value: String) {
    #expect(CommandSplitter.split(value) == CommandSplitter.Result())
  }

  @Test("A leading - ignores failure; the program is an absolute path or a bare name")
  func programs() throws {
    let command = try HookCommand(words: ["-/bin/echo", "x"])
    #expect(command.program == "/bin/echo")
    #expect(command.arguments == ["x"])
    #expect(command.ignoresFailure)
    #expect(try HookCommand(words: ["echo"]).ignoresFailure == false)
  }

  @Test(
    "The other prefixes of systemd and impossible programs are errors that say so",
    arguments: [
      ("@/bin/a", "the prefix @ of systemd"), (":/bin/a", "the prefix : of systemd"), ("+/bin/a", "the prefix + of"),
      ("!/bin/a", "the prefix ! of"), ("-!!/bin/a", "the prefix ! of"), ("|/bin/a", "the prefix | of"),
      ("--/bin/a", "the prefix - of"), ("-", "there is no program"), ("", "there is no program"),
      ("bin/echo", "is a relative path"), ("./a", "is a relative path"), ("/bin/", "is a folder"),
      ("..", "is a folder"),
      ("$PROGRAM", "is a variable"), ("${PROGRAM}", "is a variable"), ("/bin/a\u{1B}", "has control characters"),
    ])
  func refusedPrograms(word: String, what: String) {
    let problem = #expect(throws: HookCommand.Problem.self) { try HookCommand(words: [word]) }
    #expect(problem?.what.contains(what) == true)
  }

  @Test("A bare name is looked for in systemd's fixed folders, a path only where it says")
  func lookup() {
    #expect(CommandPath.candidates(for: "/opt/x") == ["/opt/x"])
    #expect(CommandPath.candidates(for: "x").first == "/usr/local/sbin/x")
    #expect(CommandPath.candidates(for: "x").count == 6)
  }

  @Test("What somebody typed is looked for in $PATH, or where the path says, and its words stay")
  func typed() throws {
    let command = try HookCommand(typed: ["x", "$A", "%n", "-"])
    #expect(command.arguments == ["$A", "%n", "-"])
    #expect(command.origin == .typed && !command.ignoresFailure)
    #expect(CommandPath.candidates(for: command, searchPath: "/a::b") == ["/a/x", "./x", "b/x"])
    #expect(CommandPath.candidates(for: command, searchPath: nil).first == "/usr/local/sbin/x")
    for program in ["./x", "bin/x", "/x", "-/x"] {
      #expect(CommandPath.candidates(for: try HookCommand(typed: [program]), searchPath: "/a") == [program])
    }
    #expect(CommandPath.candidates(for: try HookCommand(words: ["x"]), searchPath: "/a").count == 6)
  }

  @Test("What nobody can run is refused also when it was typed", arguments: ["", "/bin/", ".", "..", "a\u{1B}"])
  func refusedTyped(word: String) {
    #expect(throws: HookCommand.Problem.self) { try HookCommand(typed: [word]) }
  }
}
