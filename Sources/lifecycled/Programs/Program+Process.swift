internal import Glibc
internal import Mediator
internal import MediatorLinux

/// The process itself: its start, its signals, and the end of all that came of it.
extension Program {
  private static let copies = Locked<UInt64>(0)

  /// The variable that marks all processes of one copy.
  static let mark = "LIFECYCLE_PROGRAM"

  func spawn() async {
    let number = Self.copies.withLock { copies in
      copies += 1
      return copies
    }
    let definition = machine.definition
    let copy = ProgramCopy(
      mark: "\(title):\(getpid()):\(number)",
      output: HookOutput(name: title, log: log, isVerb: needsVerb))
    self.copy = copy
    do throws(ProgramProblem) {
      try prepare(copy, definition)
      let environment = try await environment(of: definition, copy)
      try start(copy, definition, environment)
    } catch {
      copy.close()
      self.copy = nil
      submit(.notSpawned(error.message))
    }
  }

  private var needsVerb: Bool {
    let definition = machine.definition
    return definition.user != nil || definition.group != nil || !definition.sockets.isEmpty
      || definition.health == .notify || surroundings.groups != nil
  }

  /// Everything through which it may speak is there before it runs.
  private func prepare(_ copy: ProgramCopy, _ definition: ProgramDefinition) throws(ProgramProblem) {
    if case .log(let pattern) = definition.readiness {
      do {
        let matcher = try LogMatcher(pattern)
        copy.state.withLock { $0.matcher = matcher }
      } catch {
        throw ProgramProblem("the pattern of Ready=log: cannot be used: \(error)")
      }
    }
    do throws(LinuxError) {
      if case .descriptor = definition.readiness {
        let pipe = try ReadinessPipe()
        copy.state.withLock { $0.pipe = pipe }
      }
      guard definition.effectiveNotifyAccess != .none else { return }
      let receiver = try NotifyReceiver(address: "@lifecycled/\(getpid())/\(copy.mark)")
      let source = try surroundings.loop.watch(descriptor: receiver.descriptor, priority: .important) {
        self.assumeIsolated { $0.readMessages(of: copy) }
      }
      copy.state.withLock { ($0.receiver, $0.messages) = (receiver, source) }
    } catch {
      throw ProgramProblem(error.description)
    }
  }

  private func environment(
    of definition: ProgramDefinition, _ copy: ProgramCopy
  ) async throws(ProgramProblem) -> [String: String] {
    var facts = [Self.mark: copy.mark]
    if let receiver = copy.state.withLock(\.receiver) { facts["NOTIFY_SOCKET"] = receiver.address }
    if definition.health == .notify, case .microseconds(let interval) = definition.healthInterval {
      facts["WATCHDOG_USEC"] = "\(interval)"
    }
    let sockets = socketDescriptors(of: definition)
    if !sockets.isEmpty {
      facts["LISTEN_FDS"] = "\(sockets.count)"
      facts["LISTEN_FDNAMES"] = sockets.map(\.name).joined(separator: ":")
    }
    do throws(LifecycleError) {
      return try surroundings.runner.environment(of: definition, title: title, facts: facts)
    } catch {
      throw ProgramProblem(error.message)
    }
  }

  private func socketDescriptors(of definition: ProgramDefinition) -> [(name: String, descriptor: Int32)] {
    definition.sockets.flatMap { name in (surroundings.sockets[name] ?? []).map { (name, $0) } }
  }

  private func start(
    _ copy: ProgramCopy, _ definition: ProgramDefinition, _ environment: [String: String]
  ) throws(ProgramProblem) {
    for name in definition.sockets where surroundings.sockets[name] == nil {
      let names = surroundings.sockets.keys.sorted().joined(separator: ", ")
      let passed = names.isEmpty ? "none" : names
      throw ProgramProblem("Sockets=: the service manager passed no socket named \(name.quoted) (it passed: \(passed))")
    }
    var request = SpawnRequest(
      executable: "", arguments: [], environment: environment.map { "\($0.key)=\($0.value)" })
    for (index, socket) in socketDescriptors(of: definition).enumerated() {
      request.descriptors[3 + Int32(index)] = socket.descriptor
    }
    if case .descriptor(let number) = definition.readiness, let pipe = copy.state.withLock(\.pipe) {
      request.descriptors[number] = pipe.writeEnd
    }
    if needsVerb { try startVerb(copy, definition, request) } else { try startSearching(copy, definition, request) }
  }

  private func startVerb(
    _ copy: ProgramCopy, _ definition: ProgramDefinition, _ request: SpawnRequest
  ) throws(ProgramProblem) {
    var verb = ExecVerb(
      program: definition.command.program, arguments: definition.command.arguments, user: definition.user,
      group: definition.group, directory: definition.workingDirectory)
    verb.tellsListenPID = !definition.sockets.isEmpty
    verb.tellsWatchdogPID = definition.health == .notify
    if let groups = surroundings.groups {
      do throws(LinuxError) {
        verb.controlGroup = try groups.makeChild(title).path
      } catch {
        throw ProgramProblem("cannot make a control group: \(error)")
      }
    }
    if let user = definition.user { copy.state.withLock { $0.uid = ExecVerb.number(of: user) ?? $0.uid } }
    var request = request
    (request.executable, request.arguments) = ("/proc/self/exe", ["lifecycled"] + verb.arguments)
    do throws(LinuxError) {
      try run(copy, request)
    } catch {
      throw ProgramProblem("cannot run lifecycled itself: \(LinuxError.text(error.code))")
    }
  }

  private func startSearching(
    _ copy: ProgramCopy, _ definition: ProgramDefinition, _ request: SpawnRequest
  ) throws(ProgramProblem) {
    let command = definition.command
    var request = request
    request.workingDirectory = definition.workingDirectory
    let words = command.words(in: Dictionary(request.environment.map(Self.assignment)) { $1 })
    var code = ENOENT
    for path in CommandPath.candidates(for: command) {
      (request.executable, request.arguments) = (path, [path] + words)
      do throws(LinuxError) {
        return try run(copy, request)
      } catch {
        if error.call == "chdir" {
          throw ProgramProblem("cannot enter \(definition.workingDirectory ?? ""): \(LinuxError.text(error.code))")
        }
        guard error.call == "posix_spawn", [ENOENT, ENOTDIR, EACCES].contains(error.code) else {
          throw ProgramProblem("cannot run \(path): \(LinuxError.text(error.code))")
        }
        if error.code != ENOENT { code = error.code }
      }
    }
    throw ProgramProblem("cannot run \(command.program): \(LinuxError.text(code))")
  }

  private static func assignment(_ text: String) -> (String, String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return (parts[0], parts.count > 1 ? parts[1] : "")
  }

  private func run(_ copy: ProgramCopy, _ request: SpawnRequest) throws(LinuxError) {
    let child = try Child.start(
      request, on: surroundings.loop, output: { bytes in self.assumeIsolated { $0.take(bytes, of: copy) } },
      exited: { status in self.assumeIsolated { $0.exited(status, copy) } })
    copy.state.withLock { $0.child = child }
    copy.state.withLock(\.pipe)?.closeWriteEnd()
    submit(.spawned)
  }

  // MARK: What comes from it

  private func take(_ bytes: [UInt8], of copy: ProgramCopy) {
    copy.output.take(bytes)
    let matches = copy.state.withLock { $0.matcher?.take(bytes) ?? false }
    if matches, copy === self.copy { submit(.checkHolds) }
  }

  private func exited(_ status: ExitStatus, _ copy: ProgramCopy) {
    copy.output.end()
    let matches = copy.state.withLock { $0.matcher?.end() ?? false }
    readMessages(of: copy)
    copy.state.withLock { $0.hasEnded = true }
    guard copy === self.copy else { return }
    if matches { submit(.checkHolds) }
    if let problem = copy.output.problem, status == .exited(problem.exitStatus) {
      return submit(.notSpawned(problem.message))
    }
    Task { await settle(status, copy) }
  }

  /// A program that dies by the stop signal just before we get ours has not crashed: what comes with it is waited for.
  private func settle(_ status: ExitStatus, _ copy: ProgramCopy) async {
    let survivors = status == .exited(0) && ProcessTree.lives(mark: "\(Self.mark)=\(copy.mark)")
    if case .signalled(machine.definition.stopSignal, _) = status, !machine.isEnding {
      try? await Task.sleep(for: .milliseconds(100))
    }
    submit(.exited(status, survivors: survivors))
  }

  // MARK: Its end

  /// To the process itself: most pass it on to theirs as they see fit.
  func signal(_ number: Int32) {
    let child = copy?.state.withLock { $0.hasEnded ? nil : $0.child }
    try? child?.signal(number)
  }

  /// All that is left of it: its group, what came of it, and its control group.
  func kill() async {
    guard let copy else { return }
    let (child, hasEnded) = copy.state.withLock { ($0.child, $0.hasEnded) }
    try? child?.signalGroup(SIGKILL)
    let survivors = await ProcessTree.end(
      of: hasEnded ? nil : child?.processID, mark: "\(Self.mark)=\(copy.mark)",
      group: surroundings.groups.map { ControlGroup(path: "\($0.path)/\(title)") })
    for pid in survivors { log.log(.err, subject: title, "process \(pid) cannot be ended") }
    guard hasEnded else { return }
    readMessages(of: copy)
    copy.close()
    self.copy = nil
  }
}

/// Why a program cannot be started.
struct ProgramProblem: Error {
  var message: String
  init(_ message: String) { self.message = message }
}
