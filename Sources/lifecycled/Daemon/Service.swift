internal import Glibc
internal import Mediator
internal import MediatorBridge
internal import MediatorLinux

/// What hooks and programs of one lifecycled have in common, made before its bridge.
struct ServiceParts: Sendable {
  let log: EventLog
  let runner: HookRunner
  let host: ProgramHost
  /// Orphans of hooks and programs are ours; nil where nothing can leave any.
  let reaper: ChildReaper?

  /// - Parameters:
  ///   - supervises: there are programs.
  ///   - isAlone: there is one, which is the service itself.
  init(log: EventLog, supervises: Bool, isAlone: Bool) throws(LifecycleError) {
    self.log = log
    runner = HookRunner(log: log, inherited: HookEnvironment.inherited())
    do throws(LinuxError) {
      let isFirst = getpid() == 1
      reaper = supervises || isFirst ? try ChildReaper(on: try runner.loop(), subreaper: !isFirst) { _, _ in } : nil
      host = ProgramHost(
        Program.Surroundings(
          loop: try runner.loop(), runner: runner, log: log, sockets: supervises ? InheritedSockets.byName() : [:],
          groups: supervises ? Self.groups(log) : nil),
        isAlone: isAlone)
    } catch {
      throw LifecycleError(
        .system, message: error.description, advice: "programs cannot be watched without it", errno: error.code)
    }
  }

  /// Where programs get control groups of their own, if ours was left to us.
  private static func groups(_ log: EventLog) -> ControlGroup? {
    guard let own = ControlGroup.own(), own.isDelegated else { return nil }
    do throws(LinuxError) {
      try own.moveSelf(to: "supervisor")
      return try own.makeChild("programs")
    } catch {
      log.log(.warning, "the control group was left to us and cannot be used: \(error)")
      return nil
    }
  }
}

/// One run of lifecycled, from its first event to its exit.
struct Service {
  let bridge: LifecycleBridge
  let parts: ServiceParts
  var host: ProgramHost { parts.host }

  /// - Parameter stopping: called when the stop begins.
  func run(stopping: @escaping @Sendable () -> Void = {}) async -> Int32 {
    parts.runner.attach(to: bridge.lifecycle)
    host.attach(to: bridge.lifecycle)
    let reports = bridge.lifecycle.reports
    let reporter = Task { [log = parts.log] in
      for await report in reports {
        if case .stateChanged(.stopping) = report { stopping() }
        LogLine(report).map(log.log)
      }
    }
    let status = await bridge.runUntilExit()
    await parts.runner.killAll()
    await endOrphans()
    await reporter.value
    parts.log.finish()
    return status
  }

  /// Nobody survives, also who was nobody's by then.
  private func endOrphans() async {
    guard parts.reaper != nil else { return }
    let tree = ProcessTree(root: getpid(), includesOrphans: true)
    let survivors = try? await BlockingCall.run("end-of-orphans") { tree.end(within: .seconds(2)) }
    for process in survivors ?? [] { parts.log.log(.error, "process \(process.pid) cannot be ended") }
  }

  /// Released, the bridge would give the signals back, and SIGPIPE or a second SIGTERM could overtake the status.
  func exit(with status: Int32) -> Never {
    withExtendedLifetime(self) { Glibc.exit(status) }
  }
}
