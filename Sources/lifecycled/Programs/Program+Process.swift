internal import Glibc
internal import Mediator
internal import MediatorLinux

/// The process itself: its start, its signals, and the end of all that came of it.
extension Program {
  private static let copies = Locked<UInt64>(0)

  /// The variable that marks all processes of one copy.
  static let mark = "LIFECYCLE_PROGRAM"

  func spawn() {
    let number = Self.copies.withLock { copies in
      copies += 1
      return copies
    }
    let definition = machine.definition
    (errno, busError) = (nil, nil)
    let passed = passed(to: definition)
    let copy = ProgramCopy(
      mark: "\(title):\(getpid()):\(number)", output: HookOutput(name: title, log: log, isVerb: needsVerb(passed)))
    self.copy = copy
    do throws(ProgramProblem) {
      try prepare(copy, definition)
      try start(copy, definition, try environment(of: definition, copy, passed), passed)
    } catch {
      copy.close()
      self.copy = nil
      submit(.notSpawned(error.message))
    }
  }

  private func needsVerb(_ passed: [Passed]) -> Bool {
    let definition = machine.definition
    return definition.user != nil || definition.group != nil || !definition.sockets.isEmpty || !passed.isEmpty
      || definition.health == .notify || surroundings.groups != nil
  }

  /// Everything through which it may speak is there before it runs.
  private func prepare(_ copy: ProgramCopy, _ definition: ProgramDefinition) throws(ProgramProblem) {
    if case .log(let pattern) = definition.readiness {
      do throws(LogPattern.Problem) {
        copy.watchLines(for: try LogPattern(pattern)) { self.fromAnywhere(.checkHolds) }
      } catch {
        throw ProgramProblem("Ready=log: the pattern cannot be used: \(error)")
      }
    }
    do throws(LinuxError) {
      if case .descriptor = definition.readiness {
        let pipe = try ReadinessPipe()
        copy.state.withLock { $0.pipe = pipe }
      }
      guard definition.effectiveNotifyAccess != .none else { return }
      let receiver = try NotifyReceiver(address: copy.address)
      let source = try surroundings.loop.watch(descriptor: receiver.descriptor, priority: .important) {
        self.assumeIsolated { $0.readMessages(of: copy) }
      }
      copy.state.withLock { ($0.receiver, $0.messages) = (receiver, source) }
    } catch {
      throw ProgramProblem(error.description)
    }
  }

  private func environment(
    of definition: ProgramDefinition, _ copy: ProgramCopy, _ passed: [Passed]
  ) throws(ProgramProblem) -> [String: String] {
    var facts = [Self.mark: copy.mark]
    if let receiver = copy.state.withLock({ $0.receiver }) { facts["NOTIFY_SOCKET"] = receiver.address }
    if definition.health == .notify, case .microseconds(let interval) = definition.healthInterval {
      facts["WATCHDOG_USEC"] = "\(interval)"
    }
    if !passed.isEmpty {
      facts["LISTEN_FDS"] = "\(passed.count)"
      facts["LISTEN_FDNAMES"] = passed.map(\.name).joined(separator: ":")
    }
    do throws(LifecycleError) {
      return try surroundings.runner.environment(of: definition, title: title, facts: facts)
    } catch {
      throw ProgramProblem(error.message)
    }
  }

  private func start(
    _ copy: ProgramCopy, _ definition: ProgramDefinition, _ environment: [String: String], _ passed: [Passed]
  ) throws(ProgramProblem) {
    try requireSockets(of: definition)
    var request = SpawnRequest(
      executable: "", arguments: [], environment: environment.map { "\($0.key)=\($0.value)" })
    for (index, descriptor) in passed.enumerated() { request.descriptors[3 + Int32(index)] = descriptor.number }
    defer { withExtendedLifetime(passed) {} }
    if case .descriptor(let number) = definition.readiness, let pipe = copy.state.withLock({ $0.pipe }) {
      request.descriptors[number] = pipe.writeEnd
    }
    if needsVerb(passed) {
      try startVerb(copy, definition, request, passesDescriptors: !passed.isEmpty)
    } else {
      try startSearching(copy, definition, request, environment)
    }
  }

  private func startVerb(
    _ copy: ProgramCopy, _ definition: ProgramDefinition, _ request: SpawnRequest, passesDescriptors: Bool
  ) throws(ProgramProblem) {
    let command = definition.command
    var verb = ExecVerb(
      program: command.origin == .typed ? CommandPath.absolute(command) : command.program,
      arguments: command.wordsForVerb, user: definition.user, group: definition.group,
      directory: definition.workingDirectory)
    verb.tellsListenPID = passesDescriptors
    verb.tellsWatchdogPID = definition.health == .notify
    if let groups = surroundings.groups {
      do throws(LinuxError) {
        // Of the copy, not of the program: two copies may run side by side.
        let group = try groups.makeChild(String(copy.mark.filter { $0 != "/" }))
        verb.controlGroup = group.path
        copy.state.withLock { $0.group = group }
      } catch {
        throw ProgramProblem("cannot make a control group: \(error)")
      }
    }
    if let user = definition.user { copy.state.withLock { $0.uid = ExecVerb.number(of: user) ?? $0.uid } }
    var request = request
    do throws(LinuxError) {
      let outcome = try ReadinessPipe()
      // Above all that the program may have asked for.
      let number = (request.descriptors.keys.max() ?? 2) + 1
      verb.outcome = number
      request.descriptors[number] = outcome.writeEnd
      (request.executable, request.arguments) = ("/proc/self/exe", ["lifecycled"] + verb.arguments)
      try run(copy, request, tellsStart: false)
      outcome.closeWriteEnd()
      try outcome.watch(on: surroundings.loop) { how in self.assumeIsolated { $0.verbEnded(how, copy) } }
    } catch {
      throw ProgramProblem("cannot run lifecycled itself: \(LinuxError.text(error.code))")
    }
  }

  private func startSearching(
    _ copy: ProgramCopy, _ definition: ProgramDefinition, _ request: SpawnRequest, _ environment: [String: String]
  ) throws(ProgramProblem) {
    let command = definition.command
    var request = request
    request.workingDirectory = definition.workingDirectory
    let words = command.words(in: environment)
    var search = ProgramSearch(for: command.program, in: definition.workingDirectory)
    for path in CommandPath.candidates(for: command, searchPath: environment["PATH"]) {
      (request.executable, request.arguments) = (path, [path] + words)
      do throws(LinuxError) {
        return try run(copy, request)
      } catch {
        if let problem = search.problem(of: error, at: path) { throw ProgramProblem(problem.message) }
      }
    }
    throw ProgramProblem(search.notFound.message)
  }

  /// The program runs only now; if it does not, its exit says why.
  private func verbEnded(_ outcome: ReadinessPipe.Outcome, _ copy: ProgramCopy) {
    copy.state.withLock { ($0.hasBegun, $0.hasVerbFailed) = (true, outcome == .ready) }
    if outcome == .closed, copy === self.copy { submit(.spawned) }
  }

  private func run(_ copy: ProgramCopy, _ request: SpawnRequest, tellsStart: Bool = true) throws(LinuxError) {
    let child = try Child.start(
      request, on: surroundings.loop, output: { bytes in self.assumeIsolated { $0.take(bytes, of: copy) } },
      exited: { status in self.assumeIsolated { $0.exited(status, copy) } })
    let tree = ProcessTree(root: child.processID, mark: "\(Self.mark)=\(copy.mark)")
    copy.state.withLock { ($0.child, $0.tree) = (child, tree) }
    surroundings.children.withLock { $0[child.processID] = child }
    copy.state.withLock({ $0.pipe })?.closeWriteEnd()
    guard tellsStart else { return }
    copy.state.withLock { $0.hasBegun = true }
    submit(.spawned)
  }

  // MARK: What comes from it

  private func take(_ bytes: [UInt8], of copy: ProgramCopy) {
    copy.output.take(bytes)
    copy.state.withLock({ $0.lines })?.yield(bytes)
  }

  private func exited(_ status: ExitStatus, _ copy: ProgramCopy) {
    copy.output.end()
    readMessages(of: copy)
    let ended = copy.state.withLock { state in
      state.hasEnded = true
      return state.child?.processID
    }
    if let ended { surroundings.children.withLock { _ = $0.removeValue(forKey: ended) } }
    guard copy === self.copy else { return }
    begin { await $0.settle(status, copy) }
  }

  /// A program that ends on the stop of all just before we hear of it has not crashed: what comes with it is waited for.
  private func settle(_ status: ExitStatus, _ copy: ProgramCopy) async {
    let survivors = await hasGoneIntoBackground(status, copy)
    await copy.endLines()
    // It has ended, so what the verb told of its start is there.
    for _ in 0..<100 where !copy.state.withLock({ $0.hasBegun }) { try? await FirstThread.sleep(.milliseconds(5)) }
    if copy.state.withLock({ $0.hasVerbFailed }), let problem = copy.output.problem {
      return submit(.notSpawned(problem.message))
    }
    if mayBeOfStop(status) { try? await FirstThread.sleep(.milliseconds(100)) }
    let wasInStop = surroundings.isStopping() && !machine.isEnding
    submit(wasInStop ? .endedInStop(status) : .exited(status, survivors: survivors))
  }

  /// Alone and never started again, its own status is the answer in either case.
  private func mayBeOfStop(_ status: ExitStatus) -> Bool {
    let definition = machine.definition
    guard !machine.isEnding else { return false }
    return !surroundings.isAlone || definition.restart != .no || status.code == 128 + definition.stopSignal
  }

  /// Whether its first process ended well and others go on, where that says anything.
  private func hasGoneIntoBackground(_ status: ExitStatus, _ copy: ProgramCopy) async -> Bool {
    guard status == .exited(0), !machine.isEnding, let tree = copy.state.withLock({ $0.tree }),
      await mayHaveLeftAny()
    else { return false }
    return (try? await BlockingCall.run("rest-of-program") { !tree.members().isEmpty }) ?? false
  }

  /// Whether anything has become ours that nobody here has started. What outlives its parent does, and mostly nobody did.
  private func mayHaveLeftAny() async -> Bool {
    if let mayHave = surroundings.orphans.mayFindAnyOnLoop() { return mayHave }
    return await surroundings.orphans.mayFindAny()
  }

  // MARK: Its end

  /// To the process itself: most pass it on to theirs as they see fit.
  func signal(_ number: Int32) { try? copy?.child?.signal(number) }

  /// A process that is stopped has to go on to hear of its end, as systemd has it.
  func signalEnd(_ number: Int32) {
    signal(number)
    try? copy?.child?.signalGroup(SIGCONT)
  }

  /// How long the end of all that came of it may take.
  private static let sweep = Duration.seconds(5)

  /// All that is left of it: its control group, its process group, and what came of it.
  func kill() async {
    guard let copy else { return }
    killGroup(of: copy)
    let (tree, group, hasEnded) = copy.state.withLock { ($0.tree, $0.group, $0.hasEnded) }
    if let tree {
      let isSearched = hasEnded ? await mayHaveLeftAny() : true
      if isSearched { await sweep(tree) }
    }
    guard hasEnded else { return }
    readMessages(of: copy)
    copy.close()
    try? group?.remove()
    if self.copy === copy { self.copy = nil }
  }

  private func sweep(_ tree: ProcessTree) async {
    let survivors = try? await BlockingCall.run("end-of-program") { tree.end(within: Self.sweep) }
    for process in survivors ?? [] {
      log.log(.error, "program \(title): process \(process.pid) cannot be ended")
    }
  }

  func killGroup(of copy: ProgramCopy) {
    let (child, group, hasEnded) = copy.state.withLock { ($0.child, $0.group, $0.hasEnded) }
    if !hasEnded { log.log(.warning, "program \(title): did not end in its time, and is killed") }
    try? group?.kill()
    try? child?.signalGroup(SIGKILL)
  }
}

/// Why a program cannot be started.
struct ProgramProblem: Error {
  var message: String
  init(_ message: String) { self.message = message }
}
