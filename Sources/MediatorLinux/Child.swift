/// A process that we started: its output, its end, and signals that never hit another one.
internal import CMediatorLinux
internal import Glibc

/// Its descriptors and its handlers are released once it has ended and its output is closed.
package final class Child: Sendable {
  package let processID: Int32
  private let processDescriptor: Int32
  private let loop: EventLoop
  private let ticket: KnownChildren.Ticket
  private let output: @Sendable ([UInt8]) -> Void
  private let exited: @Sendable (ExitStatus) -> Void
  private let reaped: @Sendable () -> Void

  private struct State: Sendable {
    var reaped = false
    var exit: EventSource?
    var output: EventSource?
    /// -1 once closed. Read and closed on the loop alone, and in `deinit`.
    var outputDescriptor: Int32
    /// The other end, as long as it is held open; else -1.
    var heldDescriptor: Int32
  }
  private let state: Guarded<State>

  private init(
    _ child: mediator_child, _ ticket: KnownChildren.Ticket, on loop: EventLoop,
    output: @escaping @Sendable ([UInt8]) -> Void, exited: @escaping @Sendable (ExitStatus) -> Void,
    reaped: @escaping @Sendable () -> Void
  ) {
    processID = child.pid
    processDescriptor = child.pidfd
    self.loop = loop
    self.ticket = ticket
    state = Guarded(State(outputDescriptor: child.output, heldDescriptor: child.held))
    self.output = output
    self.exited = exited
    self.reaped = reaped
  }

  deinit {
    KnownChildren.shared.forget(processID, ticket)
    _ = close(processDescriptor)
    let output = state.withLock { $0.outputDescriptor }
    if output >= 0 { _ = close(output) }
    letGo()
  }

  private func letGo() {
    let held = state.withLock { state in
      defer { state.heldDescriptor = -1 }
      return state.heldDescriptor
    }
    if held >= 0 { _ = close(held) }
  }

  /// Starts a program with an empty signal mask, default dispositions, a process group of its own, `/dev/null` as its
  /// input and no descriptor of ours but those that the request names.
  ///
  /// Both handlers run on the loop. `exited` is called once, after all output that the pipe held at that moment; a
  /// grandchild that keeps the pipe open does not delay it, and what it writes later still comes. Fails with what
  /// execve(2) says, ENOENT for a program that is not there; the call is `chdir` if the working directory is at fault,
  /// and `fcntl` if one of its descriptors is, with EBADF for one that is not open or a number it cannot have.
  package static func start(
    _ request: SpawnRequest, on loop: EventLoop, output: @escaping @Sendable ([UInt8]) -> Void = { _ in },
    exited: @escaping @Sendable (ExitStatus) -> Void
  ) throws(LinuxError) -> Child {
    let child = try startUnwatched(request, on: loop, output: output, exited: exited)
    try child.watch()
    return child
  }

  /// As `start`, from any thread, which need not wait for the loop: no handler is called before `watch()`.
  ///
  /// - Parameter reaped: called after `exited`, when nothing is left of the process, not even its number.
  package static func startUnwatched(
    _ request: SpawnRequest, on loop: EventLoop, output: @escaping @Sendable ([UInt8]) -> Void = { _ in },
    exited: @escaping @Sendable (ExitStatus) -> Void, reaped: @escaping @Sendable () -> Void = {}
  ) throws(LinuxError) -> Child {
    let (started, ticket) = try KnownChildren.shared.spawn { () throws(LinuxError) in try spawn(request) }
    return Child(started, ticket, on: loop, output: output, exited: exited, reaped: reaped)
  }

  /// Begins with what has come by now. When this fails, the process is killed and its end not told.
  package func watch() throws(LinuxError) {
    let result = loop.onLoop { self.addSources() }
    guard result >= 0 else {
      mediator_kill_and_reap(processID)
      throw LinuxError("sd_event_add_io", -result)
    }
  }

  /// Sends a signal to the process itself; ESRCH once it has ended.
  package func signal(_ number: Int32) throws(LinuxError) {
    let result = mediator_pidfd_send_signal(processDescriptor, number)
    guard result >= 0 else { throw LinuxError("pidfd_send_signal", -result) }
  }

  /// Sends a signal to the process and all of its group that still live; ESRCH when nobody does.
  ///
  /// Linux 6.9 and later find the group by the pidfd, so members that outlive the process are reached, and never a
  /// stranger. Before that only its number is left, which is ours as long as the process is not reaped: until `exited`
  /// has returned; ESRCH afterwards.
  package func signalGroup(_ number: Int32) throws(LinuxError) {
    let result = mediator_pidfd_signal_group(processDescriptor, number)
    if result >= 0 { return }
    guard result == -EINVAL else { throw LinuxError("pidfd_send_signal", -result) }
    let code = state.withLock { state in
      if state.reaped { return ESRCH }
      return kill(-processID, number) < 0 ? errno : 0
    }
    guard code == 0 else { throw LinuxError("kill", code) }
  }

  /// Stops reading the output, even if somebody holds its other end open; they get SIGPIPE or EPIPE.
  package func closeOutput() {
    letGo()
    let (source, descriptor) = state.withLock { state in
      defer { if state.output != nil { (state.output, state.outputDescriptor) = (nil, -1) } }
      return (state.output, state.outputDescriptor)
    }
    guard let source else { return }
    source.cancel()
    if source.loop.isCurrent { _ = close(descriptor) } else { source.loop.submit { _ = close(descriptor) } }
  }
}

// MARK: - On the loop

extension Child {
  private static func spawn(_ request: SpawnRequest) throws(LinuxError) -> mediator_child {
    for string in [request.executable, request.workingDirectory ?? ""] where string.utf8.contains(0) {
      throw LinuxError("posix_spawn", EINVAL)
    }
    let output =
      switch request.output {
      case .pipe: MEDIATOR_OUTPUT_PIPE
      case .pipeHeldOpen: MEDIATOR_OUTPUT_PIPE_HELD_OPEN
      case .null: MEDIATOR_OUTPUT_NULL
      case .inherit: MEDIATOR_OUTPUT_INHERIT
      }
    return unsafe try CStrings.with(request.arguments, call: "posix_spawn") { arguments throws(LinuxError) in
      unsafe try CStrings.with(request.environment, call: "posix_spawn") { environment throws(LinuxError) in
        unsafe try spawn(request, arguments, environment, output)
      }
    }
  }

  private static func spawn(
    _ request: SpawnRequest, _ arguments: CStrings.Vector, _ environment: CStrings.Vector, _ output: mediator_output
  ) throws(LinuxError) -> mediator_child {
    let passed = request.descriptors.map { mediator_passed(target: $0, source: $1) }
    var child = mediator_child()
    var call: UnsafePointer<CChar>? = nil
    let result = unsafe request.executable.withCString { executable in
      unsafe withOptionalCString(request.workingDirectory) { directory in
        unsafe passed.withUnsafeBufferPointer { passed in
          var raw = unsafe mediator_spawn_request(
            executable: executable, arguments: arguments, environment: environment, directory: directory,
            passed: passed.baseAddress, passed_count: passed.count, output: output)
          return unsafe mediator_spawn(&raw, &child, &call)
        }
      }
    }
    guard result >= 0 else { throw LinuxError(unsafe call.map { unsafe String(cString: $0) } ?? "", -result) }
    return child
  }

  private static func withOptionalCString(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Int32
  ) -> Int32 {
    guard let text else { return body(nil) }
    return unsafe text.withCString { unsafe body($0) }
  }

  private func addSources() -> Int32 {
    do {
      let exit = try loop.watch(descriptor: processDescriptor) { self.processEnded() }
      state.withLock { $0.exit = exit }
      let outputDescriptor = state.withLock { $0.outputDescriptor }
      guard outputDescriptor >= 0 else { return 0 }
      let output = try loop.watch(descriptor: outputDescriptor) { self.readOutput() }
      state.withLock { $0.output = output }
      return 0
    } catch {
      takeExit()?.cancel()
      return -error.code
    }
  }

  /// Reads once what is there; the loop comes back for more, and others have their turn in between.
  private func readOutput() {
    let outputDescriptor = state.withLock { $0.outputDescriptor }
    guard outputDescriptor >= 0 else { return }
    let limit = min(max(Int(mediator_readable_bytes(outputDescriptor)), 1), 65536)
    var count = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
      repeat { count = unsafe read(outputDescriptor, buffer.baseAddress, limit) } while count < 0 && errno == EINTR
      filled = max(count, 0)
    }
    if count > 0 {
      output(bytes)
    } else if count == 0 || errno != EAGAIN {
      closeOutput()
    }
  }

  /// The process is reaped after `exited` has returned: until then its number, and its group's, is nobody else's.
  private func processEnded() {
    var end = mediator_exit()
    var result = unsafe mediator_reap(processDescriptor, true, &end)
    if result == 0, !end.ended { return }
    takeExit()?.cancel()
    letGo()
    readOutput()  // once, not "until the pipe is empty": a grandchild may fill it for ever
    exited(result < 0 ? .unknown : ExitStatus(end))
    state.withLock { state in
      result = unsafe mediator_reap(processDescriptor, false, &end)
      state.reaped = true
    }
    KnownChildren.shared.forget(processID, ticket)
    reaped()
  }

  private func takeExit() -> EventSource? {
    state.withLock { state in
      defer { state.exit = nil }
      return state.exit
    }
  }
}

extension ExitStatus {
  init(_ end: mediator_exit) {
    self = end.signalled ? .signalled(end.status, coreDumped: end.core_dumped) : .exited(end.status)
  }
}
