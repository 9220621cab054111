// This file, ObserverToken.swift and BlockingExecutor.swift are the only ones in this module that may be unsafe. Here: under ThreadSanitizer
// the futex of `Mutex` is invisible to the tool, so it is told of each acquire and release.
internal import Synchronization

#if TSAN
  @_silgen_name("__tsan_acquire") private func tsanAcquire(_ address: UnsafeMutableRawPointer)
  @_silgen_name("__tsan_release") private func tsanRelease(_ address: UnsafeMutableRawPointer)
#endif

/// A value behind a mutex; nothing foreign is ever called while it is held.
package final class Locked<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  package init(_ value: Value) { mutex = Mutex(value) }

  package func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try mutex.withLock { value throws(Failure) in
      #if TSAN
        unsafe tsanAcquire(Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe tsanRelease(Unmanaged.passUnretained(self).toOpaque()) }
      #endif
      return try body(&value)
    }
  }
}
