internal import Glibc
internal import Mediator
internal import MediatorLinux

/// Where lifecycled's own tasks run: nothing blocks it, and an idle daemon needs no other thread for them.
enum FirstThread {
  private static let thread = Locked<CallingThread?>(nil)

  /// nil where nobody waits there, as in a test; then it is Swift's pool.
  static var executor: (any TaskExecutor)? { thread.withLock { $0 } }

  /// Runs the body there, to its end.
  static func run(_ body: @escaping @Sendable () async -> Int32) -> Int32 {
    MemoryTrim.keepOneHeap()
    // Lines are logged on this thread before the bridge ignores it: a reader that is gone costs them, and not the daemon.
    _ = signal(SIGPIPE, SIG_IGN)
    let made = CallingThread()
    thread.withLock { $0 = made }
    return made.run(body)
  }

  /// Whether the caller is on it.
  static var isCurrent: Bool { thread.withLock { $0 }?.isCurrent ?? false }

  /// As `Task.sleep(for:)`, for tasks that run there.
  static let sleep: @Sendable (Duration) async throws -> Void = { duration in
    guard let thread = thread.withLock({ $0 }) else { return try await Task.sleep(for: duration) }
    try await thread.sleep(for: duration)
  }

  static func sleep(until instant: ContinuousClock.Instant) async throws {
    try await sleep(ContinuousClock.now.duration(to: instant))
  }
}
