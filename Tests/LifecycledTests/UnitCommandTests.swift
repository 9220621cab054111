import Testing

@testable import lifecycled

@Suite("lifecycled unit", .timeLimit(.minutes(5)))
struct UnitCommandTests {
  private func lines(_ arguments: [String], resolve: (HookCommand) -> String? = { _ in nil }) throws -> [String] {
    guard case .unit(let options) = try Invocation(parsing: ["unit"] + arguments) else { return [] }
    return try UnitCommand.lines(for: options, executable: "/usr/bin/lifecycled", resolve: resolve)
  }

  @Test("It prints a whole unit file")
  func whole() throws {
    let options = [
      "--ready", "tcp:127.0.0.1:80", "--reload-signal=SIGHUP", "--stop-signal=QUIT", "--ready-timeout=90",
      "--stop-timeout=20s",
    ]
    #expect(
      try lines(options + ["--", "/usr/sbin/nginx", "-g", "daemon off;"]).joined(separator: "\n") == """
        [Unit]
        Description=nginx under lifecycled
        After=network.target

        [Service]
        Type=notify
        # The program tells lifecycled, and lifecycled tells systemd.
        NotifyAccess=main
        ExecStart=/usr/bin/lifecycled run --ready=tcp:127.0.0.1:80 "--ready-timeout=1min 30s" --reload-signal=HUP \
        --stop-signal=QUIT --stop-timeout=20s -- /usr/sbin/nginx -g "daemon off;"
        ExecReload=/bin/kill -HUP $MAINPID
        # Only lifecycled gets SIGTERM: it stops the program itself. What is left at the end is killed.
        KillMode=mixed
        TimeoutStartSec=1min 40s
        TimeoutStopSec=30s
        Restart=on-failure
        # A wrong command line would be as wrong at the next attempt.
        RestartPreventExitStatus=64
        # Without it the Swift runtime takes SIGABRT, which is the watchdog's, and SIGQUIT for backtraces.
        Environment=SWIFT_BACKTRACE=enable=no

        [Install]
        WantedBy=multi-user.target
        """)
  }

  @Test("Without options it says nothing more than it has to; without an end of its own a time has none in the unit")
  func plain() throws {
    let unit = try lines(["--", "/bin/a"])
    #expect(unit.contains("ExecStart=/usr/bin/lifecycled run -- /bin/a"))
    #expect(!unit.contains { $0.hasPrefix("ExecReload=") })
    #expect(unit.contains("TimeoutStartSec=30s") && unit.contains("TimeoutStopSec=20s"))
    let endless = try lines(["--ready=notify", "--ready-timeout=infinity", "--stop-timeout=infinity", "--", "/bin/a"])
    #expect(endless.contains("TimeoutStartSec=infinity") && endless.contains("TimeoutStopSec=infinity"))
  }

  @Test(
    "What ExecStart= runs is the same program with the same options",
    arguments: [
      ["--ready=exec /bin/a 'x y' $A %n", "--", "/bin/b", "$HOME", "${X}", "100%", "%n", "a b", "", ";", "\\"],
      [
        "--name=my %n", "--exit-status=raw", "--log-level=debug", "--notify-access=all", "--health=notify", "--",
        "/a b",
      ], ["--ready=log:^up \\d+;$", "--stop-timeout=1min 1s", "--stop-signal=RTMIN+3", "--", "/bin/b", "\n\t\u{1}'"],
      ["--ready=http://[::1]/a%20b", "--health=unix:@x y", "--", "/bin/b", "--", "--ready"],
    ])
  func roundTrip(arguments: [String]) throws {
    let start = try #require(try lines(arguments).first { $0.hasPrefix("ExecStart=") })
    // As systemd reads it: words, then specifiers, then variables.
    let words = try #require(CommandSplitter.split(String(start.dropFirst(10))).commands.first)
    var problems: [Specifiers.Problem] = []
    let specifiers = Specifiers(name: "a.service", runtimeDirectory: "/run")
    let expanded = words.map { specifiers.expand($0, problems: &problems) }
    let run = VariableExpansion.expand(Array(expanded.dropFirst()), environment: ["HOME": "x", "A": "y"])
    #expect(problems.isEmpty)
    guard case .unit(let asked) = try Invocation(parsing: ["unit"] + arguments) else { return }
    #expect(try Invocation(parsing: run) == .run(asked))
    #expect(try lines(arguments).allSatisfy { !$0.contains("\n") })
  }

  @Test("A program without an absolute path is refused, with the path that it would have")
  func relative() {
    let find: (HookCommand) -> String? = { $0.program == "nginx" ? "/usr/sbin/nginx" : nil }
    for (arguments, line) in [
      (
        ["--", "nginx"],
        "lifecycled: unit: the program 'nginx' is not an absolute path (write /usr/sbin/nginx)"
      ),
      (
        ["--", "./server"],
        "lifecycled: unit: the program './server' is not an absolute path (there is no such program here or in $PATH)"
      ),
      (
        ["--ready=exec nginx -t", "--", "/bin/a"],
        "lifecycled: unit: the program 'nginx' is not an absolute path (write /usr/sbin/nginx)"
      ),
    ] {
      let error = #expect(throws: UsageError.self) { try lines(arguments, resolve: find) }
      #expect(error?.description == line)
    }
  }

  @Test("What was typed is found as a shell finds it")
  func resolve() throws {
    #expect(UnitCommand.resolve(try HookCommand(typed: ["/bin/../bin/sh"]))?.hasSuffix("bin/sh") == true)
    #expect(UnitCommand.resolve(try HookCommand(typed: ["sh"]))?.hasPrefix("/") == true)
    #expect(UnitCommand.resolve(try HookCommand(typed: ["/etc/passwd"])) == nil)
    #expect(UnitCommand.resolve(try HookCommand(typed: ["no-such-program-anywhere"])) == nil)
    #expect(UnitCommand.executable().hasPrefix("/"))
  }
}
