internal import Glibc
internal import Mediator
internal import MediatorBridge
internal import MediatorLinux

/// One run of lifecycled, from its first event to its exit.
struct Service {
  let bridge: LifecycleBridge
  let log: EventLog
  let runner: HookRunner
  let host: ProgramHost
  /// Where one program is the service.
  var forwarder: SignalForwarder?
  /// Where the daemon itself heeds it.
  var controlSignal: ControlSignal?
  /// Taken when the service has started; nil for none.
  var busName: LogControlName?

  /// How many entries the trace keeps: at most some megabytes, however long the texts.
  private static let traceCapacity = 4096

  /// - Parameter stopping: called when the stop begins.
  func run(stopping: @escaping @Sendable () -> Void = {}) async -> Int32 {
    bridge.lifecycle.trace = LifecycleTrace(capacity: Self.traceCapacity)
    bridge.mediator.measuresDurations = true
    runner.attach(to: bridge.lifecycle)
    host.attach(to: bridge)
    do throws(LifecycleError) {
      try host.grounds.prepareAsFirst()
    } catch {
      log.log(.crit, error.description)
    }
    let reports = bridge.lifecycle.reports
    let reporter = Task(executorPreference: FirstThread.executor) { [self, lifecycle = bridge.lifecycle] in
      var hasStarted = false
      for await report in reports {
        if case .stateChanged(.stopping) = report { stopping() }
        if case .signalReceived(let origin) = report { controlSignal?.received(origin) }
        if case .stateChanged(.foreground) = report, !hasStarted {
          hasStarted = true
          takeName()
        }
        LogLine(report, isProgram: host.has, generation: lifecycle.generation).map(log.log)
      }
    }
    let forwarding = forwarder.map { forwarder in
      Task(executorPreference: FirstThread.executor) { [reports = bridge.lifecycle.reports] in
        await forwarder.follow(reports)
      }
    }
    defer { forwarding?.cancel() }
    let status = await bridge.runUntilExit()
    await runner.killAll()
    await host.killAll()
    await host.grounds.endOrphans()
    await reporter.value
    return status
  }

  /// The path; nil when there is no socket, which is a warning and no more.
  func openControl(
    at path: String, readers: ControlServer.Readers = .owner,
    changes: @escaping @Sendable (UInt64) -> ControlFacts.Changes? = { _ in nil },
    exitStatus: @escaping @Sendable (Int32) -> Int32
  ) -> String? {
    let level = ControlFacts.LogLevel(
      get: { [log] in log.level.rawValue },
      set: { [log] word in LogLevel(rawValue: word).map(log.limit(to:)) != nil })
    let version = HelpText.version.split(separator: " ").last.map(String.init) ?? ""
    let facts = ControlFacts(
      product: "lifecycled", version: version, logLevel: level, changes: changes, exitStatus: exitStatus)
    do throws(LifecycleError) {
      return try ControlServer(for: bridge, at: path, readers: readers, facts: facts).path
    } catch {
      log.log(.warning, "\(error.message) (\(error.advice)); the service goes on")
      return nil
    }
  }

  private func takeName() {
    busName?.take(on: bridge.loop)
  }

  /// Released, the bridge would give the signals back, and SIGPIPE or a second SIGTERM could overtake the status.
  ///
  /// - Parameter own: the lifecycle's own status, where a program's may take its place.
  func exit(with status: Int32, insteadOf own: Int32) -> Never {
    if status != own { log.log(.notice, "exits with \(status), the status of the program") }
    log.finish()
    withExtendedLifetime(self) { Glibc.exit(status) }
  }
}
