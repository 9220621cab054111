/// A descriptor of ours that the loop watches: its number is free for others only when both have let go of it.
internal import Glibc

final class WatchedDescriptor: Sendable {
  private struct State: Sendable {
    var source: EventSource?
    var cancelled = false
  }

  let number: Int32
  private let state = Guarded(State())

  init(_ number: Int32) { self.number = number }

  deinit { _ = close(number) }

  /// Keeps what watches it, unless `cancel()` has come before. Call it once; the source's handler keeps this alive.
  func keep(_ source: EventSource) {
    let cancelled = state.withLock { state in
      if !state.cancelled { state.source = source }
      return state.cancelled
    }
    if cancelled { source.cancel() }
  }

  /// Ends the watch; nothing is told that has not begun to be.
  func cancel() {
    let source = state.withLock { state in
      defer { (state.source, state.cancelled) = (nil, true) }
      return state.source
    }
    guard let source else { return }
    source.cancel()
    // The last reference may be the caller's.
    if !source.loop.isCurrent { source.loop.submit { withExtendedLifetime(self) {} } }
  }
}
