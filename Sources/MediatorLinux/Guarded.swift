/// A value behind a lock, in a form that ThreadSanitizer understands.
internal import CMediatorLinux
internal import Synchronization

/// `Synchronization.Mutex` waits with a futex of its own that ThreadSanitizer does not see; under `-DTSAN` it is told.
package final class Guarded<Value: Sendable>: Sendable {
  private let mutex = Mutex<Void>(())
  // Only touched with the mutex held. A `Mutex` of each type would have the runtime make two more types, before READY.
  @exclusivity(unchecked) private nonisolated(unsafe) var value: Value

  package init(_ value: Value) { unsafe self.value = value }

  /// Never call foreign code in the body.
  package func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try mutex.withLock { _ throws(Failure) in
      #if TSAN
        unsafe mediator_tsan_acquire(Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe mediator_tsan_release(Unmanaged.passUnretained(self).toOpaque()) }
      #endif
      return try unsafe body(&value)
    }
  }
}
