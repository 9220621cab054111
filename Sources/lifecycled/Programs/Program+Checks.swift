internal import Glibc
internal import Mediator
internal import MediatorLinux

/// How it is found out whether the program is ready, well, and has reloaded.
extension Program {
  func beginReadiness() {
    readiness?.cancel()
    guard let check = machine.definition.readiness, let copy else { return }
    if let probe = Probe(check) {
      let loop = ProbeLoop(probe: probe, run: runs(within: .seconds(30)))
      readiness = begin { [fromAnywhere] program in
        let holds = await loop.untilItHolds { reason in fromAnywhere(.checkFails(reason)) }
        if holds { program.submit(.checkHolds) }
      }
      return
    }
    switch check {
    case .delay(let time):
      guard let duration = time.duration else { return }
      readiness = begin { program in
        let slept: Void? = try? await FirstThread.sleep(duration)
        if slept != nil { program.submit(.checkHolds) }
      }
    case .descriptor:
      do throws(LinuxError) {
        try copy.state.withLock({ $0.pipe })?.watch(on: surroundings.loop) { outcome in
          self.assumeIsolated { $0.pipeEnded(outcome, check, copy) }
        }
      } catch {
        submit(.checkFails(error.description))
      }
    case .notify, .log, .exec, .tcp, .unix, .http, .file: break
    }
  }

  private func pipeEnded(_ outcome: ReadinessPipe.Outcome, _ check: ProgramCheck, _ copy: ProgramCopy) {
    if outcome == .ready { return submit(.checkHolds) }
    readiness = begin { program in
      // The end of the program closes it, too, and says more: that is on its way then.
      try? await FirstThread.sleep(.milliseconds(100))
      guard copy === program.copy, copy.child != nil else { return }
      program.submit(.neverHolds("\(check) was closed without a line"))
    }
  }

  nonisolated func fromAnywhere(_ input: ProgramInput) {
    surroundings.loop.submit { self.assumeIsolated { $0.submit(input) } }
  }

  /// How a command of a check is run.
  ///
  /// - Parameter limit: how long it may take.
  private func runs(within limit: TimeSpan) -> Probe.Run {
    let runner = surroundings.runner
    var hook = machine.definition.hook(title)
    hook.timeout = limit
    return { [context = hook] command in await runner.failure(of: command, in: context, on: .health) }
  }

  func beginHealth() {
    health?.cancel()
    guard let check = machine.definition.health, let interval = machine.definition.healthInterval.duration else {
      return
    }
    if check == .notify {
      watchPings(interval)
    } else if let probe = Probe(check) {
      let runs = runs(within: machine.definition.healthInterval)
      health = begin { program in
        while !Task.isCancelled {
          let began = ContinuousClock.now
          let failure = await probe.reasonAgainst(within: min(interval, .seconds(5)), run: runs)
          if Task.isCancelled { return }
          program.submit(.healthAnswer(failure))
          try? await FirstThread.sleep(until: began + interval)
        }
      }
    }
  }

  private func watchPings(_ interval: Duration) {
    if !machine.definition.pingsOnlyIfItBegan { copy?.state.withLock { $0.pinged = .now } }
    health = begin { program in
      while !Task.isCancelled {
        guard let copy = program.copy else { return }
        guard let pinged = copy.state.withLock({ $0.pinged }) else {
          try? await FirstThread.sleep(interval)
          continue
        }
        try? await FirstThread.sleep(until: pinged + interval)
        if Task.isCancelled { return }
        let isLate = copy.state.withLock { $0.pinged == pinged }
        if isLate {
          program.submit(.healthAnswer("no WATCHDOG=1 for \(program.machine.definition.healthInterval)"))
          try? await FirstThread.sleep(interval)
        } else if program.machine.trouble != nil {
          program.submit(.healthAnswer(nil))
        }
      }
    }
  }

  // MARK: Reload and stop

  func askForReload() {
    switch machine.definition.reload {
    case .signal(let number):
      guard let child = copy?.child else { return submit(.reloadRefused("it does not run")) }
      if let reason = Self.reasonAgainst(number, child.processID) { return submit(.reloadRefused(reason)) }
      do throws(LinuxError) {
        try child.signal(number)
        submit(.reloadRequested)
      } catch {
        submit(.reloadRefused(LinuxError.text(error.code)))
      }
    case .commands(let commands):
      asking = begin { program in
        let failure = await program.run(commands, on: .reload)
        program.submit(failure.map { .reloadRefused($0) } ?? .reloadRequested)
      }
    case .nothing, .overlap: submit(.reloadRequested)
    }
  }

  func runStopCommands() {
    let commands = machine.definition.stopCommands
    begin { program in
      if let failure = await program.run(commands, on: .stop) {
        program.log.log(.warning, "program \(program.title): StopExec=: \(failure)")
      }
      program.submit(.stopCommandsEnded)
    }
  }

  /// Sends a signal that the program has a handler for; false when it has none.
  func passOn(_ number: Int32) -> Bool {
    guard let child = copy?.child else { return true }
    if let reason = Self.reasonAgainst(number, child.processID) {
      let level = Self.harmless.contains(number) ? LogLevel.debug : .info
      log.log(level, "program \(title): SIG\(SignalName.name(of: number)) is not passed on: \(reason)")
      return false
    }
    try? child.signal(number)
    return true
  }

  /// As the terminal does it, to all of its process group.
  func signalGroup(_ number: Int32) { try? copy?.child?.signalGroup(number) }

  /// What does nothing to a program that has no handler, and what stops it, signal(7).
  private static let harmless: Set<Int32> = [SIGCHLD, SIGCONT, SIGURG, SIGWINCH]
  private static let stopping: Set<Int32> = [SIGTSTP, SIGTTIN, SIGTTOU]

  /// A signal that nobody catches would end the program, or be lost.
  private static func reasonAgainst(_ number: Int32, _ pid: Int32) -> String? {
    let name = "SIG\(SignalName.name(of: number))"
    switch SignalCatch.of(number, in: pid) {
    case .defaulted:
      if harmless.contains(number) { return "it has no handler for \(name)" }
      return "it has no handler for \(name), which would \(stopping.contains(number) ? "stop" : "end") it"
    case .ignored: return "it ignores \(name)"
    case .caught, .blocked, .awaited, nil: return nil
    }
  }

  private func run(_ commands: [HookCommand], on event: HookEvent) async -> String? {
    var context = machine.definition.hook(title)
    let mainProcess = copy?.child.flatMap { EnvironmentVariable(name: "MAINPID", value: "\($0.processID)") }
    if let mainProcess { context.environment.append(mainProcess) }
    for command in commands {
      if let failure = await surroundings.runner.failure(of: command, in: context, on: event) { return failure }
    }
    return nil
  }
}

extension ProgramDefinition {
  /// As what its commands are run: as a hook of its name, user and environment.
  func hook(_ title: String) -> HookDefinition {
    var hook = HookDefinition(name: title)
    (hook.user, hook.group, hook.workingDirectory) = (user, group, workingDirectory)
    (hook.environment, hook.environmentFiles) = (environment, environmentFiles)
    return hook
  }
}
