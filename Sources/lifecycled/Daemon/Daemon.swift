internal import Glibc
internal import Mediator
internal import MediatorBridge
internal import MediatorLinux

/// `lifecycled` without a command: runs the hooks of a configuration until somebody asks for a stop.
struct Daemon {
  private let options: Invocation.DaemonOptions
  private let configuration: Configuration
  private let loader: ConfigurationLoader
  private let log: EventLog

  /// Exits itself at the end of a run; returns the exit status of one that did not come about.
  static func run(_ options: Invocation.DaemonOptions) async -> Int32 {
    let loader = ConfigurationLoader.system(options.folders)
    let configuration = loader.load()
    guard configuration.isUsable else { return refuse(configuration) }
    SigDefaults.restoreChildSignal()
    let log = EventLog.system(level: options.logLevel ?? configuration.settings.logLevel)
    let daemon = Daemon(options: options, configuration: configuration, loader: loader, log: log)
    let status = await daemon.run()
    log.finish()
    return status
  }

  private static func refuse(_ configuration: Configuration) -> Int32 {
    let stream = StandardStream.errors
    let style = CheckCommand.Style(isTable: stream.isTerminal, hasColour: stream.hasColour)
    stream.write(CheckCommand.report(on: configuration, output: style, errors: style).errors)
    return configuration.exitCode.rawValue
  }

  private func run() async -> Int32 {
    log.log(configuration.warnings)
    let runner = HookRunner(log: log, inherited: HookEnvironment.inherited())
    let roster = UnitRoster(runner: runner, log: log)
    let bridge: LifecycleBridge
    do throws(LifecycleError) {
      bridge = try makeBridge(runner, roster)
    } catch {
      log.log(.crit, error.description)
      return ExitCode.software.rawValue
    }
    runner.attach(to: bridge.lifecycle)
    roster.attach(
      to: bridge.mediator, hooks: configuration.hooks, tokens: Array(bridge.mediator.tokens.dropFirst()))
    greet()
    let reports = bridge.lifecycle.reports
    let reporter = Task { [log] in
      for await report in reports {
        if case .stateChanged(.stopping) = report { roster.endChecks() }
        LogLine(report).map(log.log)
      }
    }
    let status = await bridge.runUntilExit()
    await runner.killAll()
    await reporter.value
    log.finish()
    // Released, the bridge would give the signals back, and SIGPIPE or a second SIGTERM could overtake the status.
    withExtendedLifetime(bridge) { exit(status) }
  }

  private func makeBridge(_ runner: HookRunner, _ roster: UnitRoster) throws(LifecycleError) -> LifecycleBridge {
    let listener = ConfigurationListener(
      configuration, load: { [loader] in loader.load() }, runner: runner, roster: roster, log: log,
      fixedLogLevel: options.logLevel)
    let settings = BridgeSettings(configuration.settings)
    let bridge = try LifecycleBridge(
      overriding: settings.signals, timeouts: settings.timeouts, watchdog: settings.watchdog
    ) {
      listener.required()
      roster.entries(for: configuration)
    }
    listener.attach(to: bridge.lifecycle)
    return bridge
  }

  /// Whoever just tries it out sees what to do next.
  private func greet() {
    guard configuration.hooks.isEmpty, ManagerEnvironment.capture().onTerminal else { return }
    let folders = options.folders.paths.joined(separator: ", ")
    log.log(
      .notice,
      "there are no hooks in \(folders): this only prints each event; "
        + "to reload: kill -HUP \(getpid()); to stop: Ctrl-C or kill \(getpid())")
  }
}
