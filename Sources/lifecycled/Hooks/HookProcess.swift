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
  /// How it ended, for a waiter that comes after that: another turn of the loop may lie between start and wait.
  private var finished: End?
  private var waiter: CheckedContinuation<End, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) { self.loop = loop }

  /// Runs the command to its end; cancelling the task ends its whole process group. Call it once.
  func run(
    _ request: SpawnRequest, within limit: Duration?, output: HookOutput
  ) async throws(LinuxError) -> End {
    let child = try Child.start(
      request, on: loop, output: { output.take($0) },
      exited: { status in
        output.end()
        self.assumeIsolated { $0.exited(status) }
      })
    running.withLock { $0 = child }
    if let limit {
      timer = loop.timer(after: limit) { self.assumeIsolated { $0.end(because: .timedOut) } }
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0) }
    } onCancel: {
      loop.submit { self.assumeIsolated { $0.end(because: .cancelled) } }
    }
  }

  private func wait(_ continuation: CheckedContinuation<End, Never>) {
    if let finished { continuation.resume(returning: finished) } else { waiter = continuation }
  }

  private func end(because cause: End) {
    guard finished == nil, self.cause == nil else { return }
    self.cause = cause
    timer?.cancel()
    signal(SIGTERM)
    timer = loop.timer(after: Self.grace) { self.assumeIsolated { $0.signal(SIGKILL) } }
  }

  /// What a hook that succeeded has left running is its own affair; after any other end nothing of it stays.
  private func exited(_ status: ExitStatus) {
    timer?.cancel()
    let end = cause ?? .ended(status)
    if end != .ended(.exited(0)) { signal(SIGKILL) }
    running.withLock { $0 = nil }
    finished = end
    waiter?.resume(returning: end)
    waiter = nil
  }

  /// Ends the whole process group at once.
  func kill() { signal(SIGKILL) }

  /// The same from any thread, as far as it is one signal.
  nonisolated func killGroup() { try? running.withLock(\.self)?.signalGroup(SIGKILL) }

  /// Nobody left to signal is what was wanted.
  private func signal(_ number: Int32) {
    let child = running.withLock(\.self)
    try? child?.signalGroup(number)
    // It may have left the group that it was given.
    if finished == nil { try? child?.signal(number) }
  }
}
