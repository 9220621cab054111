internal import Glibc
internal import Mediator
internal import MediatorBridge

/// One run of lifecycled, from its first event to its exit.
struct Service {
  let bridge: LifecycleBridge
  let log: EventLog
  let runner: HookRunner
  let host: ProgramHost
  /// Where one program is the service.
  var forwarder: SignalForwarder?

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
    let reporter = Task { [log, host, lifecycle = bridge.lifecycle] in
      for await report in reports {
        if case .stateChanged(.stopping) = report { stopping() }
        LogLine(report, isProgram: host.has, generation: lifecycle.generation).map(log.log)
      }
    }
    let forwarding = Task { [reports = bridge.lifecycle.reports] in await forwarder?.follow(reports) }
    defer { forwarding.cancel() }
    let status = await bridge.runUntilExit()
    await runner.killAll()
    await host.killAll()
    await host.grounds.endOrphans()
    await reporter.value
    return status
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
