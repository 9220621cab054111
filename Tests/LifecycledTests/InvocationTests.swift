import Testing

@testable import lifecycled

@Suite("Command line", .timeLimit(.minutes(5)))
struct InvocationTests {
  @Test(
    "What can be understood",
    arguments: [
      ([], .daemon(.init())), (["--config", "d"], .daemon(.init(folders: .only("d")))),
      (["--config=d"], .daemon(.init(folders: .only("d")))), (["--config=a=b"], .daemon(.init(folders: .only("a=b")))),
      (["--log-level", "debug"], .daemon(.init(logLevel: .debug))),
      (["--log-level=7"], .daemon(.init(logLevel: .debug))),
      (["--log-level", "ERROR"], .daemon(.init(logLevel: .error))),
      (["check"], .check(.standard)), (["check", "--config", "d"], .check(.only("d"))),
      (["--config", "d", "check"], .check(.only("d"))), (["--", "check"], .check(.standard)),
      (["--help"], .help), (["-h"], .help), (["check", "--help"], .help), (["--version"], .version),
      (["--version", "--help"], .version),
      (["@exec", "--help", "x"], .hidden(verb: "@exec", arguments: ["--help", "x"])),
    ] as [([String], Invocation)])
  func valid(arguments: [String], expected: Invocation) throws {
    #expect(try Invocation(parsing: arguments) == expected)
  }

  @Test(
    "What cannot be understood is one line with a hint",
    arguments: [
      (["chekc"], "lifecycled: there is no command 'chekc' (did you mean check?)"),
      (["frobnicate"], "lifecycled: there is no command 'frobnicate' (see lifecycled --help)"),
      (["help"], "lifecycled: there is no command 'help' (did you mean --help?)"),
      (["version"], "lifecycled: there is no command 'version' (did you mean --version?)"),
      ([""], "lifecycled: there is no command '' (see lifecycled --help)"),
      (["-"], "lifecycled: there is no command '-' (see lifecycled --help)"),
      (["@"], "lifecycled: there is no command '@' (see lifecycled --help)"),
      (["check", "x"], "lifecycled: 'x' is too much after check (see lifecycled --help)"),
      (["--confg", "d"], "lifecycled: there is no option '--confg' (did you mean --config?)"),
      (["-x"], "lifecycled: there is no option '-x' (see lifecycled --help)"),
      (["--config"], "lifecycled: --config needs a folder (see lifecycled --help)"),
      (["--config="], "lifecycled: --config needs a folder (see lifecycled --help)"),
      (["--config", "--help"], "lifecycled: --config needs a folder (see lifecycled --help)"),
      (
        ["--config", "a", "--config", "b"],
        "lifecycled: --config is given twice (one folder is read, with its drop-ins)"
      ),
      (
        ["--log-level", "loud"],
        "lifecycled: --log-level: 'loud' is not a log level (it is one of emerg, alert, crit, err, warning, notice, info, debug)"
      ),
      (
        ["--log-level", "8"],
        "lifecycled: --log-level: '8' is not a log level (it is one of emerg, alert, crit, err, warning, notice, info, debug)"
      ),
      (
        ["--log-level", "info", "--log-level", "info"], "lifecycled: --log-level is given twice (see lifecycled --help)"
      ),
      (["check", "--log-level", "info"], "lifecycled: --log-level does not go with check (leave it out)"),
      (["--help=x"], "lifecycled: --help takes no value (see lifecycled --help)"),
      (["a\u{1B}[2J\n"], #"lifecycled: there is no command 'a\x1b[2J\x0a' (see lifecycled --help)"#),
    ])
  func invalid(arguments: [String], line: String) {
    let error = #expect(throws: UsageError.self) { try Invocation(parsing: arguments) }
    #expect(error?.description == line)
  }

  @Test("The help fits 80 columns and tells of every exit status, option and folder, and of no command to come")
  func help() {
    let lines = HelpText.help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 })
    for code in ExitCode.allCases { #expect(HelpText.help.contains("  \(code.rawValue)  ")) }
    for word in ["--config", "--log-level", "--help", "--version", "check"] + ConfigurationFolders.standardPaths {
      #expect(HelpText.help.contains(word))
    }
    for word in ["analyze", "watch", "lifecycled run ", "lifecycled status", "socket", ".process"] {
      #expect(!HelpText.help.contains(word))
    }
    #expect(HelpText.version == "lifecycled 0.1.0")
  }

  @Test("The exit statuses are those that are documented")
  func exitCodes() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 64, 66, 69, 70, 75, 78])
  }
}
