import Testing

@testable import lifecycled

@Suite("Programs", .timeLimit(.minutes(5)))
struct ProcessReaderTests {
  private func read(_ text: String) -> (ProgramDefinition, [String]) {
    let (unit, faults) = UnitReader.read(Array(text.utf8), file: "p")
    let (program, _, findings) = ProcessReader.read(
      unit, file: "p", specifiers: Specifiers(name: "10-db@x.process", runtimeDirectory: "/run"))
    return (program, faults.map(\.description) + findings.all.map(\.description))
  }

  @Test("Every key of a program is read")
  func everyKey() throws {
    let (program, findings) = read(
      """
      [Process]
      Exec=/bin/db --name %i "a b" $X
      User=db
      Group=1000
      WorkingDirectory=%t/db
      Environment=A=1 "B=two words"
      EnvironmentFile=-/etc/default/db
      Ready=exec pg_isready -h %t
      ReadyTimeoutSec=90
      NotifyAccess=all
      Health=http://[::1]:8080/health?full=1
      HealthIntervalSec=5
      HealthThreshold=2
      ReloadExec=/bin/db reload ; -/bin/true
      ReloadExec=/bin/two
      StopSignal=SIGINT
      StopExec=-/bin/db drain
      TimeoutStopSec=1min
      Restart=on-failure
      RestartSec=200ms
      RestartMaxDelaySec=1min
      StartLimitBurst=3
      StartLimitIntervalSec=infinity
      Required=no
      After=10-net.hook  %i
      After=web
      Sockets=http %i
      """)
    #expect(findings == [])
    var expected = ProgramDefinition(
      name: "10-db@x.process", command: try HookCommand(words: ["/bin/db", "--name", "x", "a b", "$X"]))
    expected.user = "db"
    expected.group = "1000"
    expected.workingDirectory = "/run/db"
    expected.environment = ["A=1", "B=two words"].compactMap(EnvironmentVariable.init(assignment:))
    expected.environmentFiles = [.init(path: "/etc/default/db", mayBeMissing: true)]
    expected.readiness = .exec(try HookCommand(words: ["pg_isready", "-h", "/run"]))
    expected.readyTimeout = .seconds(90)
    expected.notifyAccess = .all
    expected.health = .http(host: "::1", port: 8080, path: "/health?full=1")
    expected.healthInterval = .seconds(5)
    expected.healthThreshold = 2
    expected.reload = .commands([
      try HookCommand(words: ["/bin/db", "reload"]), try HookCommand(words: ["-/bin/true"]),
      try HookCommand(words: ["/bin/two"]),
    ])
    expected.stopSignal = 2
    expected.stopCommands = [try HookCommand(words: ["-/bin/db", "drain"])]
    expected.stopTimeout = .seconds(60)
    expected.restart = .onFailure
    expected.restartDelay = .microseconds(200_000)
    expected.longestRestartDelay = .seconds(60)
    expected.startLimit = 3
    expected.startLimitInterval = .infinity
    expected.isRequired = false
    expected.after = ["10-net.hook", "x", "web"]
    expected.sockets = ["http", "x"]
    #expect(program == expected)
  }

  @Test("A program that says only what it runs has the defaults")
  func defaults() throws {
    let (program, findings) = read("[Process]\nExec=/bin/db\n")
    #expect(findings == [])
    #expect(program == ProgramDefinition(name: "10-db@x.process", command: try HookCommand(words: ["/bin/db"])))
  }

  @Test(
    "Each way to reload",
    arguments: [
      ("ReloadSignal=HUP", .signal(1)), ("ReloadSignal=rtmin+1", .signal(35)),
      ("Reload=overlap\nSockets=web\nReady=log:^up$", .overlap),
      ("Reload=overlap\nReload=\nReloadSignal=USR1", .signal(10)),
      ("ReloadExec=/bin/a\nReloadExec=\nReloadSignal=USR1", .signal(10)),
      ("ReloadSignal=HUP\nReloadSignal=USR2", .signal(12)), ("ReloadSignal=HUP\nReloadSignal=", .nothing),
    ] as [(String, ProgramDefinition.Reload)])
  func reload(text: String, reload: ProgramDefinition.Reload) {
    let (program, findings) = read("[Process]\nExec=/bin/db\n" + text + "\n")
    #expect(findings == [])
    #expect(program.reload == reload)
  }

  @Test("E07: an empty assignment takes back what stood before")
  func emptyResets() throws {
    let keys = UnitSchema.process.keys.filter { $0 != "Exec" }
    let values = [
      "User": "db", "Group": "db", "WorkingDirectory": "/", "Environment": "A=1", "EnvironmentFile": "/a",
      "Ready": "notify", "NotifyAccess": "none", "Health": "notify", "Reload": "overlap", "ReloadSignal": "HUP",
      "ReloadExec": "/bin/a", "StopSignal": "INT", "StopExec": "/bin/a", "Restart": "always", "Required": "no",
    ]
    let set = keys.map { "\($0)=\(values[$0] ?? "7")\n" }.joined()
    let reset = keys.map { "\($0)=\n" }.joined()
    let (program, findings) = read("[Process]\nExec=/bin/old\n\(set)[Process]\nExec=\nExec=/bin/new\n\(reset)")
    #expect(findings == [])
    #expect(program == ProgramDefinition(name: "10-db@x.process", command: try HookCommand(words: ["/bin/new"])))
  }

  @Test("A longer RestartSec= than the longest delay by default makes that longer")
  func longDelay() {
    let (program, findings) = read("[Process]\nExec=/bin/db\nRestart=always\nRestartSec=5min\n")
    #expect(findings == [])
    #expect(program.longestRestartDelay == .seconds(300))
  }

  @Test(
    "Exec= is exactly one command",
    arguments: [
      ("User=x", "p: this program has no Exec= (say what it runs)"),
      ("Exec=/bin/a\nExec=", "p: this program has no Exec= (say what it runs)"),
      (
        "Exec=/bin/a ; /bin/b",
        #"p:2: Exec=: a program has one command, not 2 (write a file for each program, or \; where the ; is an argument)"#
      ),
      (
        "Exec=/bin/a\nExec=/bin/b",
        "p:3: Exec=: a program has one command, and it stands on line 2 already (write an empty Exec= before this one "
          + "to replace it, or a file for each program)"
      ),
      (
        "Exec=-/bin/a",
        "p:2: Exec=: a program has no failure that - could ignore (remove the -, and say with Restart= and Required= "
          + "what a failure means)"
      ),
      ("Exec=;", "p:2: Exec=: there is no program to run"),
      ("Exec=@/bin/a", "p:2: Exec=: the prefix @ of systemd is not supported before '@/bin/a' (only - is)"),
      (
        "Exec=bin/x",
        "p:2: Exec=: the program 'bin/x' is a relative path (write an absolute path, or a name to look up in "
          + "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)"
      ),
    ])
  func command(text: String, finding: String) {
    #expect(read("[Process]\n" + text + "\n").1 == [finding])
  }

  @Test(
    "A wrong value is named together with what is accepted",
    arguments: [
      (
        "Ready=ready",
        "p:3: Ready=: 'ready' is not a check (it is one of notify, exec COMMAND, tcp:HOST:PORT, "
          + "unix:PATH, http://HOST:PORT/PATH, file:PATH, log:REGEX, fd:N, delay:SEC)"
      ),
      ("Ready=exec", "p:3: Ready=: there is no program to run"),
      ("Ready=exec a ; b", #"p:3: Ready=: a check has one command, not 2 (write \; where the ; is an argument)"#),
      ("Ready=exec -a", "p:3: Ready=: a check whose failure is ignored says nothing (remove the -)"),
      ("Ready=exec 'a", "p:3: Ready=: the quote ' is not closed"),
      (
        "Ready=unix:%Q",
        "p:3: Ready=: %Q in 'unix:%Q' is not a specifier of lifecycled (it has %i %n %t; write %%Q for "
          + "a literal percent sign)|p:3: Ready=: '' is no socket (write unix:/PATH, or unix:@NAME for an abstract one)"
      ),
      ("NotifyAccess=exec", "p:3: NotifyAccess=: 'exec' is not an access (it is one of main, all, none)"),
      (
        "Health=log:x",
        "p:3: Health=: log tells once that a program is ready, not whether it is well (it is one of "
          + "notify, exec COMMAND, tcp:HOST:PORT, unix:PATH, http://HOST:PORT/PATH, file:PATH)"
      ),
      (
        "Health=file:/a\nHealthThreshold=0",
        "p:4: HealthThreshold=: '0' is not a number for this (write one from 1 to 1000000)"
      ),
      (
        "Health=file:/a\nHealthIntervalSec=0",
        "p:4: HealthIntervalSec=: '0' is no interval (write a time such as 10s)"
      ),
      ("ReloadSignal=KILL", "p:3: ReloadSignal=: KILL reloads nothing: no program sees it (for example HUP)"),
      (
        "ReloadSignal=TERM",
        "p:3: ReloadSignal=: TERM is the signal that stops it (write another one here or in StopSignal=)"
      ),
      (
        "Reload=restart",
        "p:3: Reload=: 'restart' is not a kind of reload (write overlap, or ReloadSignal= or ReloadExec= instead of this line)"
      ),
      ("StopSignal=STOP", "p:3: StopSignal=: STOP does not end a program (for example TERM, INT or QUIT)"),
      ("StopSignal=SIGTREM", "p:3: StopSignal=: 'SIGTREM' is not a signal (did you mean TERM?)"),
      (
        "Restart=on-abort",
        "p:3: Restart=: lifecycled does not have 'on-abort' of systemd (it is one of no, on-success, on-failure, on-abnormal, always)"
      ),
      (
        "Restart=on-watchdog",
        "p:3: Restart=: lifecycled does not have 'on-watchdog' of systemd (it is one of no, on-success, on-failure, on-abnormal, always)"
      ),
      (
        "Restart=yes",
        "p:3: Restart=: 'yes' is not a kind of restart (it is one of no, on-success, on-failure, on-abnormal, always)"
      ),
      (
        "Restart=always\nRestartSec=infinity",
        "p:4: RestartSec=: 'infinity' would never end (write a time such as 5s, or 0)"
      ),
      (
        "Restart=always\nStartLimitBurst=0",
        "p:4: StartLimitBurst=: '0' is not a number for this (write one from 1 to 1000000)"
      ),
      (
        "TimeoutStopSec=0",
        "p:3: TimeoutStopSec=: 0 is no time limit: '0' would end everything at once (write a time such as 30s, or infinity for no limit)"
      ),
      ("Required=maybe", "p:3: Required=: 'maybe' is neither yes nor no (write yes or no)"),
      (
        "After=/etc/x",
        "p:3: After=: '/etc/x' cannot be the name of a hook or program (write a file name such as 10-db.process, with or without its suffix)"
      ),
      ("Sockets=a:b", "p:3: Sockets=: 'a:b' cannot be the name of a socket (write what FileDescriptorName= calls it)"),
      ("User=a b", "p:3: User=: 'a b' cannot be the name of a user or group"),
      ("WorkingDirectory=~", "p:3: WorkingDirectory=: '~' is not an absolute path (begin it with /)"),
      (#"StopExec=/bin/a \d"#, #"p:3: warning: StopExec=: the unknown escape \d stays as it is (write \\d to say so)"#),
    ])
  func wrongValues(line: String, findings: String) {
    #expect(read("[Process]\nExec=/bin/true\n" + line + "\n").1.joined(separator: "|") == findings)
  }

  @Test(
    "Keys that contradict each other, or mean nothing, name both lines",
    arguments: [
      (
        "ReloadSignal=HUP\nReloadExec=/bin/a",
        "p:4: ReloadExec=: ReloadSignal= stands on line 3 already, and a program reloads in one way (remove one of the two)"
      ),
      (
        "Sockets=a\nReload=overlap\nReloadSignal=HUP\nReady=notify",
        "p:5: ReloadSignal=: Reload= stands on line 4 already, and a program reloads in one way (remove one of the two)"
      ),
      (
        "Reload=overlap",
        "p:3: Reload=: two copies can only share sockets that lifecycled passes to both (write Sockets=, or ReloadSignal= or ReloadExec= instead of this line)"
      ),
      (
        "Sockets=a\nReload=overlap\nReady=tcp:localhost:80",
        "p:4: warning: Reload=: a new copy that does not work would pass for ready, since the old one answers on the same socket (write Ready=notify, log: or fd:)"
      ),
      (
        "Ready=notify\nNotifyAccess=none",
        "p:4: NotifyAccess=: nobody could say what Ready=notify on line 3 waits for (write main or all)"
      ),
      (
        "Ready=delay:2min",
        "p:3: Ready=: it would never be ready: ReadyTimeoutSec= is 1min (write a ReadyTimeoutSec= that is longer, or a shorter delay)"
      ),
      (
        "Ready=fd:3\nSockets=web",
        "p:3: Ready=: descriptor 3 is one of the sockets that Sockets= passes, from 3 on (write a higher one)"
      ),
      (
        "ReadyTimeoutSec=5",
        "p:3: warning: ReadyTimeoutSec=: it means nothing without Ready= (write Ready=, or remove this line)"
      ),
      (
        "HealthThreshold=5",
        "p:3: HealthThreshold=: only a program with Health= is asked for its health (write Health=, or remove this line)"
      ),
      (
        "Health=notify\nHealthThreshold=5",
        "p:4: warning: HealthThreshold=: it means nothing to Health=notify: the first WATCHDOG=1 that is late counts (remove it)"
      ),
      (
        "Restart=always\nRestartSec=5\nRestartMaxDelaySec=4",
        "p:5: RestartMaxDelaySec=: it is shorter than RestartSec= on line 4 (write 5s or more)"
      ),
      (
        "RestartSec=5",
        "p:3: warning: RestartSec=: it means nothing with Restart=no (write Restart=, or remove this line)"
      ),
      // What a faulty key says is not known.
      ("Health=helth\nHealthIntervalSec=5", nil), ("Ready=reddy\nReadyTimeoutSec=5", nil),
      ("Restart=alwayss\nRestartSec=5", nil),
    ] as [(String, String?)])
  func contradictions(text: String, finding: String?) {
    let findings = read("[Process]\nExec=/bin/true\n" + text + "\n").1
    if let finding { #expect(findings == [finding]) } else { #expect(findings.count == 1) }
  }

  @Test("In a drop-in the other line is named with its file")
  func otherFile() {
    var (unit, _) = UnitReader.read(Array("[Process]\nExec=/bin/a\nReloadSignal=HUP\n".utf8), file: "/p")
    unit.append(UnitReader.read(Array("[Process]\nReload=overlap\nSockets=a\n".utf8), file: "/d").unit)
    let (_, _, findings) = ProcessReader.read(
      unit, file: "/p", specifiers: Specifiers(name: "a.process", runtimeDirectory: nil))
    #expect(
      findings.all.map(\.description) == [
        "/d:2: Reload=: ReloadSignal= stands in /p:3 already, and a program reloads in one way (remove one of the two)"
      ])
  }

  @Test(
    "E08: what systemd has and a program has not says what to write instead",
    arguments: [
      ("ExecStart=/bin/x", "write Exec="), ("ExecReload=/bin/x", "write ReloadExec=, or ReloadSignal= for a signal"),
      ("ExecStop=/bin/x", "write StopExec="), ("KillSignal=INT", "write StopSignal="),
      ("Type=notify", "write Ready=notify"), ("Type=simple", "remove it, or write Ready= with a check"),
      ("Type=forking", "have the program stay in the foreground, and write Ready= with a check"),
      ("WatchdogSec=30", "write Health=notify, and HealthIntervalSec= for this time"),
      ("TimeoutStartSec=5", "write ReadyTimeoutSec="), ("TimeoutSec=5", "write ReadyTimeoutSec= or TimeoutStopSec="),
      ("Before=x", "write After= in the other file"),
      ("LimitNOFILE=5", "set it in the unit of lifecycled itself, or remove it"),
    ])
  func systemdsKeys(line: String, advice: String) {
    let key = line.prefix { $0 != "=" }
    #expect(
      read("[Process]\nExec=/bin/true\n" + line + "\n").1 == [
        "p:3: \(key)= is a key of systemd that lifecycled does not have (\(advice))"
      ])
  }

  @Test(
    "A key in the wrong section or of another file says where it belongs",
    arguments: [
      ("[Unit]\nAfter=x", "p:4: After= stands in [Unit] (it belongs in [Process])"),
      ("[Service]\nRestart=no", "p:4: Restart= stands in [Service] (it belongs in [Process])"),
      ("On=start", "p:3: On= does not belong in a .process file (it belongs in [Hook] of a .hook file)"),
      (
        "LogLevel=err",
        "p:3: LogLevel= does not belong in a .process file (it belongs in [Lifecycle] of lifecycled.conf)"
      ),
      ("exec=/bin/x", "p:3: warning: unknown key exec= (did you mean Exec=?)"),
      ("HealthInterval=3", "p:3: warning: unknown key HealthInterval= (did you mean HealthIntervalSec=?)"),
    ])
  func foreignKeys(text: String, finding: String) {
    #expect(read("[Process]\nExec=/bin/true\n" + text + "\n").1 == [finding])
  }
}
