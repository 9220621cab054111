internal import Glibc
internal import Mediator
internal import MediatorBridge
internal import MediatorLinux

/// `lifecycled` without a command: runs the hooks and programs of a configuration until somebody asks for a stop.
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
    let service: Service
    let roster: UnitRoster
    let listener: ConfigurationListener
    do throws(LifecycleError) {
      (service, roster, listener) = try makeService()
    } catch {
      log.log(.crit, error.description)
      return ExitCode.software.rawValue
    }
    let control = openControl(for: service, listener)
    greet(control)
    let status = await service.run(stopping: { roster.endChecks() })
    service.exit(with: service.host.exitStatus(status), insteadOf: status)
  }

  private func makeService() throws(LifecycleError) -> (Service, UnitRoster, ConfigurationListener) {
    DeclaredAbilities.declare()
    let runner = HookRunner(log: log, inherited: HookEnvironment.inherited())
    let host = ProgramHost(runner: runner, log: log)
    let roster = UnitRoster(runner: runner, host: host, log: log)
    let listener = ConfigurationListener(
      configuration, load: { [loader] in loader.load() }, runner: runner, roster: roster, log: log,
      fixedLogLevel: options.logLevel)
    let settings = BridgeSettings(configuration.settings)
    let leave: @Sendable () -> Void = {
      runner.killGroups()
      host.grounds.killGroups()
    }
    let bridge = try LifecycleBridge(
      overriding: settings.signals, timeouts: settings.timeouts, watchdog: settings.watchdog,
      beside: FirstThread.executor, leaving: leave
    ) {
      listener.required()
      roster.entries(for: configuration)
      if !configuration.programs.isEmpty { host.status.optional() }
    }
    listener.attach(to: bridge.lifecycle)
    let tokens = Array(bridge.mediator.tokens.dropFirst())
    roster.attach(to: bridge.mediator, units: configuration.units, tokens: tokens)
    var service = Service(bridge: bridge, log: log, runner: runner, host: host)
    service.controlSignal = ControlSignal(log: log)
    if ManagerEnvironment.capture().underManager, getpid() != 1 { service.busName = LogControlName(log) }
    return (service, roster, listener)
  }

  /// The path; without a control socket the service goes on all the same.
  private func openControl(for service: Service, _ listener: ConfigurationListener) -> String? {
    guard let path = ControlPath.current(option: options.control) else { return nil }
    return service.openControl(
      at: path, readers: BridgeSettings(configuration.settings).controlReaders, changes: { listener.changes[$0] },
      exitStatus: service.host.exitStatus)
  }

  /// Whoever just tries it out sees what to do next.
  private func greet(_ control: String?) {
    guard configuration.units.isEmpty, ManagerEnvironment.capture().onTerminal else { return }
    let folders = options.folders.paths.joined(separator: ", ")
    log.log(
      .notice,
      "there are no hooks and no programs in \(folders): this only prints each event; "
        + (control.map { "to ask it: lifecycled --control \(ShellQuoted.text($0)) status; " } ?? "")
        + "to reload: kill -HUP \(getpid()); to stop: Ctrl-C or kill \(getpid())")
  }
}
