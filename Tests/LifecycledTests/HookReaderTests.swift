import Testing

@testable import lifecycled

@Suite("Hooks", .timeLimit(.minutes(5)))
struct HookReaderTests {
  private func read(_ text: String) -> (HookDefinition, [String]) {
    let (unit, faults) = UnitReader.read(Array(text.utf8), file: "h")
    let (hook, _, findings) = HookReader.read(
      unit, file: "h", specifiers: Specifiers(name: "10-db@x.hook", runtimeDirectory: "/run"))
    return (hook, faults.map(\.description) + findings.all.map(\.description))
  }

  @Test("Every key of a hook is read")
  func everyKey() throws {
    let (hook, findings) = read(
      """
      [Hook]
      On=start  foreground
      On=stop health
      IntervalSec=5
      Reason=start stop
      Exec=/bin/one %n "a b" $X ; -two
      Exec=-/bin/three %%
      TimeoutSec=1min
      Required=no
      User=db
      Group=1000
      WorkingDirectory=%t/db
      Environment=A=1 "B=two words"
      Environment=C=%i
      EnvironmentFile=-/etc/default/db
      EnvironmentFile=/etc/db.env
      """)
    #expect(findings.isEmpty)
    #expect(hook.events == [.start, .foreground, .stop, .health])
    #expect(hook.reasons == [.start, .stop])
    #expect(
      hook.commands == [
        try HookCommand(words: ["/bin/one", "10-db@x.hook", "a b", "$X"]), try HookCommand(words: ["-two"]),
        try HookCommand(words: ["-/bin/three", "%"]),
      ])
    #expect(hook.timeout == .seconds(60))
    #expect(hook.interval == .seconds(5))
    #expect(!hook.isRequired)
    #expect(hook.user == "db")
    #expect(hook.group == "1000")
    #expect(hook.workingDirectory == "/run/db")
    #expect(hook.environment.map { "\($0.name)=\($0.value)" } == ["A=1", "B=two words", "C=x"])
    #expect(
      hook.environmentFiles == [
        .init(path: "/etc/default/db", mayBeMissing: true), .init(path: "/etc/db.env", mayBeMissing: false),
      ])
  }

  @Test("A hook that says only when and what has the defaults")
  func defaults() {
    let (hook, findings) = read("[Hook]\nOn=start\nExec=/bin/true\n")
    #expect(findings.isEmpty)
    #expect(hook.timeout == .seconds(30))
    #expect(hook.interval == .seconds(10))
    #expect(!hook.checksHealth)
    #expect(hook.isRequired)
    #expect(hook.user == nil && hook.group == nil && hook.workingDirectory == nil)
  }

  @Test("E07: an empty assignment takes back what stood before")
  func emptyResets() {
    let (hook, findings) = read(
      """
      [Hook]
      On=start
      Exec=/bin/old
      Environment=A=1
      EnvironmentFile=/a
      User=db
      TimeoutSec=5
      Reason=pause
      [Hook]
      On=
      On=reload
      Exec=
      Exec=/bin/new
      Environment=
      EnvironmentFile=
      User=
      TimeoutSec=
      Reason=
      """)
    #expect(findings.isEmpty)
    #expect(hook.events == [.reload])
    #expect(hook.commands.map(\.program) == ["/bin/new"])
    #expect(hook.environment.isEmpty && hook.environmentFiles.isEmpty && hook.user == nil && hook.reasons == nil)
    #expect(hook.timeout == .seconds(30))
  }

  @Test("Signals are read by their names, each once; an empty On= takes them back, too")
  func signals() {
    let (hook, findings) = read("[Hook]\nOn=signal:RTMIN+5 signal:SIGWINCH time-change signal:28\nExec=/bin/true\n")
    #expect(findings.isEmpty)
    #expect(hook.events == [.signal, .timeChange])
    #expect(hook.signals == [SignalName.realTime.lowerBound + 5, 28])
    let reset = read("[Hook]\nOn=signal:WINCH\nOn=\nOn=memory-pressure\nExec=/bin/true\n").0
    #expect(reset.events == [.memoryPressure] && reset.signals == [])
  }

  @Test(
    "A signal that no hook can have is a fault",
    arguments: [
      ("signal", "signal needs the name of one (for example signal:RTMIN+5)"),
      ("signal:", "signal needs the name of one (for example signal:RTMIN+5)"),
      ("signal:KILL", "KILL runs no hook: the kernel delivers it to nobody"),
      ("signal:CHLD", "CHLD runs no hook: lifecycled needs it for its own children"),
      ("signal:USR3", "'USR3' is not a signal (did you mean USR1?)"),
      ("signals:USR1", "'signals:USR1' is not an event"),
    ])
  func badSignals(word: String, finding: String) {
    let findings = read("[Hook]\nOn=\(word)\nExec=/bin/true\n").1
    #expect(findings.count == 1 && findings[0].hasPrefix("h:2: On=: \(finding)"), "\(findings)")
  }

  @Test("News of the machine come for no reason of their own, and Reason= means nothing to them")
  func news() {
    let (hook, findings) = read("[Hook]\nOn=time-change memory-pressure\nReason=pause\nExec=/bin/true\n")
    #expect(findings == ["h: warning: Reason= means nothing to time-change, memory-pressure (remove it)"])
    #expect(hook.runs(on: .timeChange, reason: .start))
    #expect(!hook.runs(on: .signal, reason: .start))
  }

  @Test("Without Reason= a reload does not make foreground and background flap; with it the reasons are those written")
  func reasons() {
    let plain = read("[Hook]\nOn=foreground background reload start\nExec=/bin/true\n").0
    #expect(plain.runs(on: .foreground, reason: .start))
    #expect(plain.runs(on: .background, reason: .pause))
    #expect(!plain.runs(on: .foreground, reason: .reload))
    #expect(!plain.runs(on: .background, reason: .reload))
    #expect(plain.runs(on: .reload, reason: .reload))
    #expect(plain.runs(on: .start, reason: .reload))
    #expect(!plain.runs(on: .stop, reason: .stop))
    let named = read("[Hook]\nOn=background\nReason=reload sleep\nExec=/bin/true\n").0
    #expect(named.runs(on: .background, reason: .reload))
    #expect(named.runs(on: .background, reason: .sleep))
    #expect(!named.runs(on: .background, reason: .stop))
  }

  @Test(
    "The machine waits for a hook that names sleep, its end, or that reason where it passes through",
    arguments: [
      ("On=sleep", true), ("On=wake", true), ("On=background", false), ("On=foreground\nReason=pause", false),
      ("On=background\nReason=sleep", true), ("On=foreground\nReason=start sleep", true),
      ("On=reload stop\nReason=sleep reload stop", false),
    ])
  func waitsForSleep(lines: String, expected: Bool) {
    #expect(read("[Hook]\n\(lines)\nExec=/bin/true\n").0.waitsForSleep == expected)
  }

  @Test("In a sleep a hook runs once, by the narrowest name; Reason= can only silence it")
  func sleep() {
    let both = read("[Hook]\nOn=sleep background foreground\nExec=/bin/true\n").0
    #expect(both.event(for: .background, reason: .sleep) == .sleep)
    #expect(both.event(for: .background, reason: .pause) == .background)
    #expect(both.event(for: .foreground, reason: .sleep) == .foreground)
    #expect(both.event(for: .background, reason: .reload) == nil)
    let alone = read("[Hook]\nOn=wake\nExec=/bin/true\n").0
    #expect(alone.event(for: .foreground, reason: .sleep) == .wake)
    #expect(alone.event(for: .foreground, reason: .start) == nil)
    #expect(alone.event(for: .background, reason: .sleep) == nil)
    let (silent, findings) = read("[Hook]\nOn=sleep background\nReason=pause\nExec=/bin/true\n")
    #expect(silent.event(for: .background, reason: .sleep) == nil)
    #expect(findings == ["h: warning: with this Reason= the hook never runs on sleep (that happens for: sleep)"])
  }

  @Test("A hook with no On= and no Exec= has two faults; a wrong one is not also called missing")
  func missingKeys() {
    #expect(
      read("[Hook]\nUser=x\n").1 == [
        "h: this hook has no On= (say when it runs: start, foreground, background, prepare-reload, reload, revert-reload, stop, health, memory-pressure, time-change, credentials, sleep, wake, signal:NAME)",
        "h: this hook has no Exec= (say what it runs)",
      ])
    #expect(
      read("[Hook]\nOn=strat\nExec=bin/x\n").1 == [
        "h:2: On=: 'strat' is not an event (did you mean start?)",
        "h:3: Exec=: the program 'bin/x' is a relative path (write an absolute path, or a name to look up in "
          + "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)",
      ])
  }

  @Test(
    "E08: a key in the wrong section, of another file or of systemd says where it belongs",
    arguments: [
      ("[Service]\nTimeoutSec=5", "h:5: TimeoutSec= stands in [Service] (it belongs in [Hook])"),
      ("[Hok]\nUser=x", "h:5: User= stands in [Hok] (it belongs in [Hook])"),
      (
        "DrainDelaySec=5",
        "h:4: DrainDelaySec= does not belong in a .hook file (it belongs in [Lifecycle] of lifecycled.conf)"
      ),
      ("ExecStart=/bin/x", "h:4: ExecStart= is a key of systemd that lifecycled does not have (write Exec=)"),
      (
        "[Unit]\nAfter=x.target",
        "h:5: After= stands in [Unit] (it belongs in [Hook])"
      ),
      (
        "[Install]\nWantedBy=x.target",
        "h:5: WantedBy= is a key of systemd that lifecycled does not have (set it in the unit of lifecycled itself, or remove it)"
      ),
      ("Frob=1", "h:4: warning: unknown key Frob="),
      ("exec=/bin/x", "h:4: warning: unknown key exec= (did you mean Exec=?)"),
    ])
  func foreignKeys(text: String, finding: String) {
    #expect(read("[Hook]\nOn=start\nExec=/bin/true\n" + text + "\n").1 == [finding])
  }

  @Test(
    "IntervalSec= belongs to health alone, and has to come round",
    arguments: [
      (
        "On=start\nIntervalSec=5",
        "h:4: IntervalSec=: only a hook with On=health has an interval (add health to On=, or remove this line)"
      ),
      ("On=health\nIntervalSec=0", "h:4: IntervalSec=: '0' is no interval (write a time such as 10s)"),
      (
        "On=health\nIntervalSec=infinity",
        "h:4: IntervalSec=: 'infinity' would never come round (write a time such as 10s)"
      ),
      ("On=health\nIntervalSec=-1", "h:4: IntervalSec=: '-1' is negative (write a time such as 30s)"),
      ("On=health\nReason=start", "h: warning: Reason= means nothing to health (remove it)"),
      (
        "On=health\nTimeoutSec=infinity",
        "h: warning: with TimeoutSec=infinity a health check that hangs is never found (write a time such as 5s)"
      ),
      ("On=start\nIntervalSec=5\nIntervalSec=", nil), ("On=start health\nReason=start", nil),
      ("IntervalSec=5\nOn=health", nil),
      // What On= says is not known.
      ("IntervalSec=5\nOn=helth", "h:4: On=: 'helth' is not an event (did you mean health?)"),
    ] as [(String, String?)])
  func interval(text: String, finding: String?) {
    #expect(read("[Hook]\nExec=/bin/true\n" + text + "\n").1 == (finding.map { [$0] } ?? []))
  }

  @Test(
    "A wrong value is named together with what is accepted",
    arguments: [
      (
        "TimeoutSec=0",
        "h:4: TimeoutSec=: 0 is no time limit: '0' would end everything at once (write a time such as 30s, or infinity for no limit)"
      ),
      ("Required=maybe", "h:4: Required=: 'maybe' is neither yes nor no (write yes or no)"),
      ("Reason=because", "h:4: Reason=: 'because' is not a reason (it is one of start, reload, pause, sleep, stop)"),
      ("User=a b", "h:4: User=: 'a b' cannot be the name of a user or group"),
      ("Group=4294967295", "h:4: Group=: '4294967295' is not a number of a user or group"),
      ("WorkingDirectory=~", "h:4: WorkingDirectory=: '~' is not an absolute path (begin it with /)"),
      ("EnvironmentFile=etc/x", "h:4: EnvironmentFile=: 'etc/x' is not an absolute path (begin it with /)"),
      (
        "EnvironmentFile=/etc/*.env",
        "h:4: EnvironmentFile=: wildcards are not supported in '/etc/*.env' (write one line per file)"
      ),
      (
        "Environment=1A=x",
        "h:4: Environment=: '1A=x' is not an assignment (write NAME=VALUE, and quotes around all of it where the value has blanks)"
      ),
      (#"Environment=A=\q"#, #"h:4: Environment=: \q is no known escape (write \\q for a literal backslash)"#),
      (#"Environment="A=x"#, "h:4: Environment=: the quote \" is not closed"),
      (
        "Exec=/bin/a %Q",
        "h:4: Exec=: %Q in '%Q' is not a specifier of lifecycled (it has %i %n %t; write %%Q for a literal percent sign)"
      ),
      ("Exec=/bin/a 'x", "h:4: Exec=: the quote ' is not closed"),
      ("Exec=;", "h:4: Exec=: there is no program to run"),
      (#"Exec=/bin/grep \d"#, #"h:4: warning: Exec=: the unknown escape \d stays as it is (write \\d to say so)"#),
      ("Exec=+/bin/a", "h:4: Exec=: the prefix + of systemd is not supported before '+/bin/a' (only - is)"),
      ("Reason=pause", "h: warning: with this Reason= the hook never runs on start (that happens for: start)"),
    ])
  func wrongValues(line: String, finding: String) {
    #expect(read("[Hook]\nOn=start\nExec=/bin/true\n" + line + "\n").1 == [finding])
  }
}
