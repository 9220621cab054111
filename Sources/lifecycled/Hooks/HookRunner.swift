internal import Glibc
internal import Mediator
internal import MediatorLinux

/// Runs the commands of a hook in order, for one event, under the hook's time limit.
final class HookRunner: Sendable {
  private let log: EventLog
  private let inherited: [String: String]
  /// What is read when a hook runs, not when it is configured.
  private let source = SystemConfigurationSource()
  private let limits = ConfigurationLimits()
  private let lifecycle = Locked<Lifecycle?>(nil)
  /// Made for the first hook that runs: a start without one need not wait for a thread.
  private let madeLoop = Locked<EventLoop?>(nil)
  private let running = Locked<[ObjectIdentifier: HookProcess]>([:])

  init(log: EventLog, inherited: [String: String]) {
    self.log = log
    self.inherited = inherited
  }

  /// Kills what still runs, of hooks that were left behind, when the daemon ends.
  func killAll() async {
    let processes = running.withLock { Array($0.values) }
    let ends = LeavableTask<Void>(on: FirstThread.executor) { for process in processes { await process.kill() } }
    _ = await ends.ending(within: .seconds(1), sleep: FirstThread.sleep)
  }

  /// Before an end at once, from any thread.
  func killGroups() { for process in running.withLock({ Array($0.values) }) { process.killGroup() } }

  deinit { madeLoop.withLock({ $0 })?.shutdown() }

  /// Whose state and generation the hooks are told.
  func attach(to lifecycle: Lifecycle) { self.lifecycle.withLock { $0 = lifecycle } }

  /// A hook's health is another: that is told at once.
  func healthChanged(of hook: String) { lifecycle.withLock({ $0 })?.healthChanged(of: hook) }

  /// Throws at the first command that fails; cancelling the task ends the one that runs and starts no other.
  ///
  /// - Parameter facts: variables of this event, beside those that all have.
  func run(
    _ hook: HookDefinition, on event: HookEvent, reason: HookReason, facts: [String: String] = [:]
  ) async throws(LifecycleError) {
    let environment = try environment(of: hook, event, reason, facts)
    let deadline = hook.timeout.duration.map { MonotonicClock.microseconds(after: $0) }
    for (index, command) in hook.commands.enumerated() {
      let place = hook.commands.count > 1 ? " (command \(index + 1), \(command.program))" : ""
      log.log(.debug, subject: hook.title, "\(event.rawValue): running \(command.program)")
      do throws(Failure) {
        try await run(command, of: hook, environment, deadline, tellsOutput: event == .health)
      } catch {
        if error.mayBeIgnored, command.ignoresFailure {
          log.log(.info, subject: hook.title, "\(error.message)\(place), ignored")
          continue
        }
        // Nobody counts as failed who was asked to end: without a line it would go unseen.
        if error.code == .cancelled, event != .health {
          log.log(.warning, "\(hook.title) was cut short in \(event.rawValue)")
        }
        throw LifecycleError(
          error.code, listener: hook.title, message: error.message + place,
          advice: "see the log for what \(hook.title) printed", errno: error.errno)
      }
    }
  }

  /// Runs one command in the name of a hook or program; why it did not succeed, in words.
  func failure(of command: HookCommand, in context: HookDefinition, on event: HookEvent) async -> String? {
    var context = context
    context.commands = [command]
    // A reload and a stop of a program have one reason each; its health has none of its own.
    let reason = event.possibleReasons[0]
    do throws(LifecycleError) {
      try await run(context, on: event, reason: reason)
      return nil
    } catch {
      return error.message
    }
  }

  /// Why one command did not succeed.
  private struct Failure: Error {
    var code = LifecycleError.Code.listenerFailed
    var message: String
    var errno: Int32?
    var mayBeIgnored = true
  }

  // MARK: One command

  private func run(
    _ command: HookCommand, of hook: HookDefinition, _ environment: [String: String], _ deadline: UInt64?,
    tellsOutput: Bool
  ) async throws(Failure) {
    let cancelled = Failure(code: .cancelled, message: "cancelled", mayBeIgnored: false)
    if Task.isCancelled { throw cancelled }
    let isVerb = hook.user != nil || hook.group != nil
    let output = HookOutput(name: hook.title, log: log, isVerb: isVerb)
    var limit: Duration?
    if let deadline {
      let now = MonotonicClock.microseconds()
      limit = .microseconds(deadline > now ? Int64(clamping: deadline - now) : 0)
    }
    let end = try await spawn(command, of: hook, environment, limit, output, isVerb)
    let reason = tellsOutput ? output.lastLine.map { ": \($0)" } ?? "" : ""
    switch end {
    case .ended(.exited(0)): return
    case .ended(.exited(let code)):
      if let problem = output.problem, problem.exitStatus == code {
        throw Failure(message: problem.message, errno: problem.errno)
      }
      throw Failure(message: ExitStatus.exited(code).text + reason)
    case .ended(let status): throw Failure(message: status.text + (status == .unknown ? "" : reason))
    case .timedOut: throw Failure(message: "timed out after \(hook.timeout)", mayBeIgnored: false)
    case .cancelled: throw cancelled
    }
  }

  /// Tries each place where the program may lie.
  private func spawn(
    _ command: HookCommand, of hook: HookDefinition, _ environment: [String: String], _ limit: Duration?,
    _ output: HookOutput, _ isVerb: Bool
  ) async throws(Failure) -> HookProcess.End {
    var request = SpawnRequest(
      executable: "/proc/self/exe", arguments: ["lifecycled"] + ExecVerb(command, of: hook).arguments,
      environment: environment.map { "\($0.key)=\($0.value)" }, output: .pipeHeldOpen)
    let words = isVerb ? [] : VariableExpansion.expand(command.arguments, environment: environment)
    if !isVerb { request.workingDirectory = hook.workingDirectory }
    var search = ProgramSearch(for: command.program, in: hook.workingDirectory)
    for path in isVerb ? [request.executable] : CommandPath.candidates(for: command.program) {
      if !isVerb { (request.executable, request.arguments) = (path, [path] + words) }
      do throws(LinuxError) {
        let process = HookProcess(on: try loop())
        running.withLock { $0[ObjectIdentifier(process)] = process }
        defer { running.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(process)) } }
        return try await process.run(request, within: limit, output: output)
      } catch {
        if let problem = search.problem(of: error, at: path) {
          throw Failure(message: problem.message, errno: problem.errno)
        }
      }
    }
    throw Failure(message: search.notFound.message, errno: search.notFound.errno)
  }

  /// Where processes are watched.
  func loop() throws(LinuxError) -> EventLoop {
    try madeLoop.withLock { made throws(LinuxError) in
      if let made { return made }
      let loop = try EventLoop(name: "hooks")
      made = loop
      return loop
    }
  }

  // MARK: Its environment

  private func environment(
    of hook: HookDefinition, _ event: HookEvent, _ reason: HookReason, _ own: [String: String]
  ) throws(LifecycleError) -> [String: String] {
    let lifecycle = lifecycle.withLock({ $0 })
    let facts = [
      "LIFECYCLE_EVENT": event.rawValue, "LIFECYCLE_REASON": reason.rawValue,
      "LIFECYCLE_GENERATION": "\(lifecycle?.generation ?? 1)",
      "LIFECYCLE_STATE": (lifecycle?.state ?? .notStarted).rawValue,
    ]
    return try environment(of: hook, title: hook.title, facts: facts.merging(own) { $1 })
  }

  /// The environment of what runs in a context, its files read now.
  ///
  /// - Parameter facts: what lifecycled itself says, which goes before the rest.
  func environment(
    of context: some ExecutionContext, title: String, facts: [String: String]
  ) throws(LifecycleError) -> [String: String] {
    var files: [EnvironmentVariable] = []
    for file in context.environmentFiles {
      do throws(SourceProblem) {
        let content = try source.read(file.path, limit: limits.fileSize)
        let (variables, faults) = EnvironmentFile.read(content.bytes ?? [], file: file.path)
        files += variables
        for fault in faults { log.log(.warning, subject: title, fault.description) }
      } catch {
        if error == .missing || error == .brokenLink, file.mayBeMissing { continue }
        throw LifecycleError(
          .listenerFailed, listener: title, message: "cannot use \(file.path): \(error.what)",
          advice: "write - before the path in EnvironmentFile= if it may be missing")
      }
    }
    return HookEnvironment.variables(inherited: inherited, context: context, files: files, facts: facts)
  }
}

extension HookDefinition {
  /// How the log, STATUS and errors call it: the file name without its suffix.
  var title: String { name.hasSuffix(".hook") ? String(name.dropLast(5)) : name }
}
