/// A call that blocks, on a thread of its own, so that none of Swift's few pool threads waits with it.
internal import CMediatorLinux

package enum BlockingCall {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs the body on a fresh thread that has all signals blocked, and returns what it returns.
  ///
  /// The body cannot be interrupted: whoever may lose patience leaves it behind.
  ///
  /// - Parameter name: the thread's; 15 bytes of it count.
  package static func run<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () -> Value
  ) async throws(LinuxError) -> Value {
    let result: Result<Value, LinuxError> = await withCheckedContinuation { continuation in
      let started = start(name, Body { continuation.resume(returning: .success(body())) })
      if started < 0 { continuation.resume(returning: .failure(LinuxError("pthread_create", -started))) }
    }
    return try result.get()
  }

  private static func start(_ name: String, _ body: Body) -> Int32 {
    let retained = unsafe Unmanaged.passRetained(body)
    let started = unsafe mediator_thread_start(
      name, MEDIATOR_MASK_ALL_BLOCKED, { unsafe Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() },
      retained.toOpaque())
    if started < 0 { unsafe retained.release() }
    return started
  }
}
