// This file, ObserverToken.swift, BlockingExecutor.swift and Slots.swift are the only ones in this module that may be
// unsafe. Here: under ThreadSanitizer the futex of `Mutex` is invisible to the tool, so it is told of each acquire and
// release.
internal import Synchronization

#if TSAN
  @_silgen_name("__tsan_acquire") private func tsanAcquire(_ address: UnsafeMutableRawPointer)
  @_silgen_name("__tsan_release") private func tsanRelease(_ address: UnsafeMutableRawPointer)

  private final class Mark: Sendable {}
#endif

/// A value behind a mutex, in whatever owns it; nothing foreign is ever called while it is held.
package struct Locked<Value: Sendable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  #if TSAN
    private let mark = Mark()
  #endif

  package init(_ value: Value) { mutex = Mutex(value) }

  package borrowing func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try mutex.withLock { value throws(Failure) in
      #if TSAN
        unsafe tsanAcquire(Unmanaged.passUnretained(mark).toOpaque())
        defer { unsafe tsanRelease(Unmanaged.passUnretained(mark).toOpaque()) }
      #endif
      return try body(&value)
    }
  }
}

/// A value behind a mutex that several hold: what closures share.
package final class Shared<Value: Sendable>: Sendable {
  private let locked: Locked<Value>

  package init(_ value: Value) { locked = Locked(value) }

  package func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result { try locked.withLock(body) }
}
