internal import Glibc
internal import Mediator
internal import MediatorLinux

/// How it is found out whether the program is ready, well, and has reloaded.
extension Program {
  func beginReadiness() {
    readiness?.cancel()
    guard let check = machine.definition.readiness, let copy else { return }
    if let look = probe(check) {
      readiness = Task { [self] in
        let holds = await ProbeLoop.run(look) { reason in self.fromAnywhere(.checkFails(reason)) }
        if holds { submit(.checkHolds) }
      }
      return
    }
    switch check {
    case .delay(let time):
      guard let duration = time.duration else { return }
      readiness = Task { [self] in
        let slept: Void? = try? await Task.sleep(for: duration)
        if slept != nil { submit(.checkHolds) }
      }
    case .descriptor:
      do throws(LinuxError) {
        try copy.state.withLock(\.pipe)?.watch(on: surroundings.loop) { outcome in
          self.fromAnywhere(outcome == .ready ? .checkHolds : .checkFails("it closed its descriptor without a line"))
        }
      } catch {
        submit(.checkFails(error.description))
      }
    case .notify, .log, .exec, .tcp, .unix, .http, .file: break
    }
  }

  private nonisolated func fromAnywhere(_ input: ProgramInput) {
    surroundings.loop.submit { self.assumeIsolated { $0.submit(input) } }
  }

  /// nil for what cannot be looked at.
  private func probe(_ check: ProgramCheck) -> Probe? {
    let (runner, context) = (surroundings.runner, machine.definition.commandContext(title))
    return Probe(check) { command in
      await runner.failure(of: command, in: context, on: .health)
    }
  }

  func beginHealth() {
    health?.cancel()
    guard let check = machine.definition.health, let interval = machine.definition.healthInterval.duration else {
      return
    }
    if check == .notify {
      watchPings(interval)
    } else if let look = probe(check) {
      health = Task { [self] in
        while !Task.isCancelled {
          let began = ContinuousClock.now
          let failure = await look.look(within: interval)
          if Task.isCancelled { return }
          submit(.healthAnswer(failure))
          try? await Task.sleep(until: began + interval, clock: .continuous)
        }
      }
    }
  }

  private func watchPings(_ interval: Duration) {
    copy?.state.withLock { $0.pinged = .now }
    health = Task { [self] in
      while !Task.isCancelled {
        guard let pinged = copy?.state.withLock(\.pinged) else { return }
        try? await Task.sleep(until: pinged + interval, clock: .continuous)
        if Task.isCancelled { return }
        let isLate = copy?.state.withLock { $0.pinged == pinged } ?? false
        if isLate {
          submit(.healthAnswer("no WATCHDOG=1 for \(machine.definition.healthInterval)"))
          try? await Task.sleep(for: interval)
        } else if machine.trouble != nil {
          submit(.healthAnswer(nil))
        }
      }
    }
  }

  // MARK: Reload and stop

  func askForReload() async {
    switch machine.definition.reload {
    case .signal(let number):
      guard let child = copy?.state.withLock({ $0.hasEnded ? nil : $0.child }) else {
        return submit(.reloadRefused("it does not run"))
      }
      if let reason = SignalCatch.reasonAgainst(number, pid: child.processID) {
        return submit(.reloadRefused(reason))
      }
      do throws(LinuxError) {
        try child.signal(number)
        submit(.reloadRequested)
      } catch {
        submit(.reloadRefused(LinuxError.text(error.code)))
      }
    case .commands(let commands):
      let failure = await run(commands, on: .reload)
      submit(failure.map { .reloadRefused($0) } ?? .reloadRequested)
    case .nothing, .overlap: submit(.reloadRequested)
    }
  }

  func runStopCommands() {
    let commands = machine.definition.stopCommands
    Task { [self] in
      if let failure = await run(commands, on: .stop) { log.log(.warning, subject: title, "StopExec=: \(failure)") }
      submit(.stopCommandsEnded)
    }
  }

  private func run(_ commands: [HookCommand], on event: HookEvent) async -> String? {
    var context = machine.definition.commandContext(title)
    if let pid = copy?.processID { context.environment.append(EnvironmentVariable(name: "MAINPID", value: "\(pid)")) }
    for command in commands {
      if let failure = await surroundings.runner.failure(of: command, in: context, on: event) { return failure }
    }
    return nil
  }
}
