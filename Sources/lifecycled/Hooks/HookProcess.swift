internal import Glibc
internal import Mediator
internal import MediatorLinux

/// One running command of a hook: waits for its end without holding a thread, and ends it when its time is over.
///
/// It lives on the loop that watches the child, so the child's handlers and its own methods never run at once.
actor HookProcess {
  enum End: Hashable, Sendable {
    case ended(ExitStatus)
    case timedOut
    case cancelled
  }

  /// Between SIGTERM and SIGKILL.
  private static let grace = Duration.seconds(5)

  private let loop: EventLoop
  private nonisolated let running = Locked<Child?>(nil)
  private var timer: EventSource?
  /// Why the process was told to end.
  private var cause: End?
  private var outcome: Result<End, LinuxError>?
  private var waiter: CheckedContinuation<Result<End, LinuxError>, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) { self.loop = loop }

  /// Runs the command to its end; cancelling the task ends its whole process group. Call it once.
  ///
  /// The caller's thread starts the process: the loop goes on meanwhile, and one command after the other costs one
  /// change of threads less. The start waits for execve(2), which hangs where a file system does: the thread of delivery
  /// can be left behind then, but the first thread cannot.
  nonisolated func run(
    _ request: SpawnRequest, within limit: Duration?, output: HookOutput
  ) async throws(LinuxError) -> End {
    let child = try await start(request, output)
    running.withLock { $0 = child }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        loop.submit { self.assumeIsolated { $0.watch(child, within: limit, continuation) } }
      }
    } onCancel: {
      loop.submit { self.assumeIsolated { $0.end(because: .cancelled) } }
    }
    return try result.get()
  }

  private nonisolated func start(_ request: SpawnRequest, _ output: HookOutput) async throws(LinuxError) -> Child {
    let start: @Sendable () -> Result<Child, LinuxError> = {
      Result { () throws(LinuxError) in
        try Child.startUnwatched(
          request, on: self.loop, output: { output.take($0) },
          exited: { status in
            output.end()
            self.assumeIsolated { $0.exited(status) }
          }, reaped: { self.assumeIsolated { $0.answer() } })
      }
    }
    guard FirstThread.isCurrent, let started = try? await BlockingCall.run("command", start) else {
      return try start().get()
    }
    return try started.get()
  }

  private func watch(
    _ child: Child, within limit: Duration?, _ continuation: CheckedContinuation<Result<End, LinuxError>, Never>
  ) {
    waiter = continuation
    do throws(LinuxError) {
      try child.watch()
    } catch {
      settle(.failure(error))
      return answer()
    }
    // A cancellation may have come before.
    guard let limit, cause == nil else { return }
    timer = loop.timer(after: limit) { self.assumeIsolated { $0.end(because: .timedOut) } }
  }

  private func end(because cause: End) {
    guard outcome == nil, self.cause == nil else { return }
    self.cause = cause
    timer?.cancel()
    signal(SIGTERM)
    timer = loop.timer(after: Self.grace) { self.assumeIsolated { $0.signal(SIGKILL) } }
  }

  /// What a hook that succeeded has left running is its own affair; after any other end nothing of it stays.
  private func exited(_ status: ExitStatus) {
    let end = cause ?? .ended(status)
    if end != .ended(.exited(0)) { signal(SIGKILL) }
    settle(.success(end))
  }

  private func settle(_ outcome: Result<End, LinuxError>) {
    self.outcome = outcome
    running.withLock { $0 = nil }
    timer?.cancel()
  }

  /// Not before it is reaped: who looks for the process by its number, as the next run of a hook may, finds none.
  private func answer() {
    if let outcome { waiter?.resume(returning: outcome) }
    waiter = nil
  }

  /// Ends the whole process group at once.
  func kill() { signal(SIGKILL) }

  /// The same from any thread, as far as it is one signal.
  nonisolated func killGroup() { try? running.withLock({ $0 })?.signalGroup(SIGKILL) }

  /// Nobody left to signal is what was wanted.
  private func signal(_ number: Int32) {
    let child = running.withLock({ $0 })
    try? child?.signalGroup(number)
    // It may have left the group that it was given.
    if outcome == nil { try? child?.signal(number) }
  }
}
