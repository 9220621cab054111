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
      do throws(LinuxError) {
        try begin(name) { continuation.resume(returning: .success(body())) }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return try result.get()
  }

  /// As `run`, without waiting for its end.
  package static func begin(_ name: String, _ body: @escaping @Sendable () -> Void) throws(LinuxError) {
    let retained = unsafe Unmanaged.passRetained(Body(body))
    let started = unsafe mediator_thread_start(
      name, MEDIATOR_MASK_ALL_BLOCKED, { unsafe Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() },
      retained.toOpaque())
    guard started < 0 else { return }
    unsafe retained.release()
    throw LinuxError("pthread_create", -started)
  }
}
