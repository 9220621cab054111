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
      (
        ["rnu", "--", "x"], "lifecycled: there is no command 'rnu' (did you mean run?)"
      ), (["unti"], "lifecycled: there is no command 'unti' (did you mean unit?)"),
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

  private func options(
    _ words: [String], name: String, _ change: (inout RunOptions) -> Void = { _ in }
  ) throws -> RunOptions {
    var options = RunOptions(
      program: ProgramDefinition(name: name, command: try HookCommand(typed: words)))
    change(&options)
    return options
  }

  @Test("A program alone has the defaults, its own name, and its words as they were typed")
  func run() throws {
    for (words, name) in [
      (["nginx"], "nginx"), (["/usr/sbin/nginx", "-g", "daemon off;"], "nginx"), (["./a b", "--", "--help"], "a b"),
      (["-x", "$HOME", "%n", "@exec", ""], "-x"),
    ] {
      let expected = try options(words, name: name)
      #expect(try Invocation(parsing: ["run", "--"] + words) == .run(expected))
      #expect(try Invocation(parsing: ["unit", "--"] + words) == .unit(expected))
      #expect(expected.program.command.origin == .typed)
    }
  }

  @Test("Every option of run is read, in either spelling, and before the command too")
  func runOptions() throws {
    let expected = try options(["x", "y"], name: "web") { options in
      options.program.readiness = .exec(HookCommand(program: "./check", arguments: ["a b", "$A"], origin: .typed))
      options.program.readyTimeout = .seconds(90)
      options.program.health = .tcp(host: "::1", port: 80)
      options.program.reload = .signal(1)
      options.program.stopSignal = 3
      options.program.stopTimeout = .seconds(5)
      options.program.notifyAccess = .all
      options.exitStatus = .raw
      options.logLevel = .debug
    }
    let pairs = [
      ("--ready", "exec ./check 'a b' $A"), ("--ready-timeout", "1min 30s"), ("--health", "tcp:[::1]:80"),
      ("--reload-signal", "SIGHUP"), ("--stop-signal", "quit"), ("--stop-timeout", "5"), ("--notify-access", "all"),
      ("--name", "web"), ("--exit-status", "raw"), ("--log-level", "debug"),
    ]
    let end = ["--", "x", "y"]
    #expect(try Invocation(parsing: ["run"] + pairs.map { "\($0)=\($1)" } + end) == .run(expected))
    #expect(try Invocation(parsing: ["run"] + pairs.flatMap { [$0, $1] } + end) == .run(expected))
    #expect(try Invocation(parsing: pairs.map { "\($0)=\($1)" } + ["unit"] + end) == .unit(expected))
    #expect(Set(pairs.map(\.0)) == Set(RunOption.allCases.map(\.rawValue) + ["--log-level"]))
    #expect(try Invocation(parsing: ["run", "--ready=x", "--help"]) == .help)
    #expect(try Invocation(parsing: ["run", "--help", "--", "x"]) == .help)
  }

  @Test(
    "What run cannot understand is one line with a hint",
    arguments: [
      (["run"], "run needs a program (write lifecycled run -- PROGRAM ARGUMENT ...)"),
      (["unit", "--"], "unit needs a program (write lifecycled unit -- PROGRAM ARGUMENT ...)"),
      (["run", "nginx"], "'nginx' is too much after run (write -- before the program)"),
      (["run", "--", ""], "there is no program to run (see lifecycled --help)"),
      (["run", "--", "/bin/"], "the program '/bin/' is a folder (see lifecycled --help)"),
      (["run", "--reddy=notify", "--", "x"], "there is no option '--reddy' (did you mean --ready?)"),
      (["run", "--ready", "--", "x"], "--ready needs a check (see lifecycled --help)"),
      (["run", "--stop-timeout=", "--", "x"], "--stop-timeout needs a time (see lifecycled --help)"),
      (["run", "--ready=notify", "--ready=notify", "--", "x"], "--ready is given twice (see lifecycled --help)"),
      (
        ["run", "--ready=reddy", "--", "x"],
        "--ready: 'reddy' is not a check (it is one of notify, exec COMMAND, "
          + "tcp:HOST:PORT, unix:PATH, http://HOST:PORT/PATH, file:PATH, log:REGEX, fd:N, delay:SEC)"
      ),
      (["run", "--ready=exec", "--", "x"], "--ready: there is no program to run (write 'exec COMMAND')"),
      (["run", "--ready=exec a ; b", "--", "x"], "--ready: a check has one command, not 2 (see lifecycled --help)"),
      (["run", "--ready=exec 'a", "--", "x"], "--ready: the quote ' is not closed (see lifecycled --help)"),
      (
        ["run", "--health=fd:3", "--", "x"],
        "--health: fd tells once that a program is ready, not whether it is well "
          + "(it is one of notify, exec COMMAND, tcp:HOST:PORT, unix:PATH, http://HOST:PORT/PATH, file:PATH)"
      ),
      (["run", "--stop-signal=TREM", "--", "x"], "--stop-signal: 'TREM' is not a signal (did you mean TERM?)"),
      (
        ["run", "--reload-signal=TERM", "--", "x"],
        "--reload-signal: TERM is the signal that stops it (write another one here or in --stop-signal)"
      ),
      (
        ["run", "--ready-timeout=5", "--", "x"],
        "--ready-timeout means nothing without --ready (write --ready=CHECK)"
      ),
      (
        ["run", "--ready=delay:2min", "--", "x"],
        "--ready: it would never be ready: --ready-timeout is 1min (write a --ready-timeout that is longer, or a shorter delay)"
      ),
      (
        ["run", "--ready=notify", "--notify-access=none", "--", "x"],
        "--notify-access: nobody could say what a check of notify waits for (write main or all)"
      ),
      (
        ["run", "--notify-access=exec", "--", "x"],
        "--notify-access: 'exec' is not an access (it is one of main, all, none)"
      ),
      (["run", "--exit-status=0", "--", "x"], "--exit-status: '0' is not an exit status (it is one of own, raw)"),
      (["run", "--name=a/b", "--", "x"], "'a/b' cannot be the name of a program (write --name=NAME)"),
      (["run", "--", "a\\b"], #"'a\b' cannot be the name of a program (write --name=NAME)"#),
      (["run", "--config", "d", "--", "x"], "--config does not go with run (leave it out)"),
      (
        ["check", "--ready=notify"], "--ready goes with run and unit only (write lifecycled run --ready=... -- PROGRAM)"
      ),
      (["--name=x"], "--name goes with run and unit only (write lifecycled run --name=... -- PROGRAM)"),
      (["--", "run", "x"], "'x' is too much after run (write -- before the program)"),
    ])
  func invalidRun(arguments: [String], line: String) {
    let error = #expect(throws: UsageError.self) { try Invocation(parsing: arguments) }
    #expect(error?.description == "lifecycled: " + line)
  }

  @Test("The help fits 80 columns and tells of every command, exit status, option and folder")
  func help() {
    let lines = HelpText.help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 })
    for code in ExitCode.allCases { #expect(HelpText.help.contains("  \(code.rawValue)  ")) }
    let options = ["--config", "--control", "--log-level", "--help", "--version"] + RunOption.allCases.map(\.rawValue)
    for word in options + ControlOption.allCases.map(\.rawValue) + ConfigurationFolders.standardPaths {
      #expect(HelpText.help.contains(word))
    }
    for key in UnitSchema.hook.keys + UnitSchema.process.keys { #expect(HelpText.help.contains("\(key)=")) }
    for word in ["check", "run", "unit"] + ControlVerb.allCases.map(\.rawValue) {
      #expect(HelpText.help.contains("\n  \(word) "), "\(word)")
    }
    #expect(HelpText.version == "lifecycled 0.1.0")
  }

  @Test("The exit statuses are those that are documented")
  func exitCodes() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 66, 69, 70, 75, 78])
  }
}
