internal import Glibc
internal import Mediator
internal import MediatorBridge
internal import MediatorLinux

/// `lifecycled run`: one program from its start to its end, with what the command line says of it.
enum ProgramRun {
  /// Exits itself at the end of a run; returns the exit status of one that did not come about.
  static func run(_ options: RunOptions) async -> Int32 {
    SigDefaults.restoreChildSignal()
    let settings = LifecycledSettings()
    let log = EventLog.system(level: options.logLevel ?? settings.logLevel)
    let program = suited(options.program)
    let service: Service
    do throws(LifecycleError) {
      service = try makeService(program, settings, log)
    } catch {
      log.log(.crit, error.description)
      log.finish()
      return ExitCode.software.rawValue
    }
    let isRaw = options.exitStatus == .raw || getpid() == 1
    if let path = ControlPath.currentlyNamed(option: options.control) {
      _ = service.openControl(at: path) { [host = service.host] status in
        exitStatus(status, host.end(of: program.title), program, isRaw: isRaw)
      }
    }
    let status = await service.run()
    let own = exitStatus(status, service.host.end(of: program.title), program, isRaw: isRaw)
    service.exit(with: own, insteadOf: status)
  }

  /// What the manager wants of us, it may want of the program.
  private static func suited(_ program: ProgramDefinition) -> ProgramDefinition {
    var program = program
    if program.readiness == .notify, program.health == nil, let interval = ManagerWatchdog.interval() {
      program.health = .notify
      program.healthInterval = .microseconds(UInt64(max(0, interval / .microseconds(1))))
      program.pingsOnlyIfItBegan = true
    }
    return program
  }

  private static func makeService(
    _ program: ProgramDefinition, _ settings: LifecycledSettings, _ log: EventLog
  ) throws(LifecycleError) -> Service {
    DeclaredAbilities.declare()
    let runner = HookRunner(log: log, inherited: HookEnvironment.inherited())
    let host = ProgramHost(runner: runner, log: log, isAlone: true)
    let listener = ProgramListener(Kept(wrappedValue: program), host: host)
    let environment = ManagerEnvironment.capture()
    let forwarder = SignalForwarder(
      to: listener, takesReload: program.reload == .nothing && !environment.hasManager,
      onTerminal: environment.onTerminal)
    let leave: @Sendable () -> Void = {
      runner.killGroups()
      host.grounds.killGroups()
    }
    let bridge = try LifecycleBridge(
      overriding: forwarder.overriding, timeouts: timeouts(of: program, settings),
      beside: FirstThread.executor, leaving: leave
    ) {
      listener.required()
      if program.health != nil { ProgramHealth(of: listener).required() }
      host.status.optional()
    }
    return Service(bridge: bridge, log: log, runner: runner, host: host, forwarder: forwarder)
  }

  /// The whole start and stop have a little more than the program's own.
  private static func timeouts(of program: ProgramDefinition, _ settings: LifecycledSettings) -> LifecycleTimeouts {
    var timeouts = BridgeSettings(settings).timeouts
    timeouts.start = longer(program.readyTimeout, settings.startTimeout)
    timeouts.stop = longer(program.stopTimeout, settings.stopTimeout)
    return timeouts
  }

  private static func longer(_ own: TimeSpan, _ usual: TimeSpan) -> Duration? {
    guard let own = own.duration, let usual = usual.duration else { return nil }
    return max(own + .seconds(10), usual)
  }

  /// - Parameters:
  ///   - status: the lifecycle's.
  ///   - end: the program's; nil when it never ran, or never ended.
  static func exitStatus(_ status: Int32, _ end: ProgramEnd?, _ program: ProgramDefinition, isRaw: Bool) -> Int32 {
    guard let end, let own = end.status?.code else { return status }
    if isRaw { return own }
    switch end {
    case .stopped:
      // 143 would be a failed unit; Java and others exit with that number instead of dying by the signal.
      if own == 128 + program.stopSignal { return status }
      return own == 0 ? status : own
    case .exited: return own
    case .failed, .gaveUp, .wentIntoBackground: return own == 0 ? status : own
    }
  }
}

extension ExitStatus {
  /// As a shell tells it; nil when nobody knows.
  var code: Int32? {
    switch self {
    case .exited(let status): status
    case .signalled(let number, _): 128 + number
    case .unknown: nil
    }
  }
}
