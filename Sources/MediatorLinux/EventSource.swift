/// One thing an event loop waits for: a readable descriptor or a moment.
internal import CLibsystemd
internal import Glibc

/// Lives until it is cancelled, its timer fired or the loop ended; dropping the last reference does not cancel it.
@safe
package final class EventSource: Sendable {
  enum Kind: Sendable { case descriptor, urgent, timer, wake }

  package let loop: EventLoop
  let kind: Kind
  /// In a struct: a bare closure that is changed in place through a generic is wrapped once more each time.
  private struct Handler: Sendable {
    var call: (@Sendable () -> Void)?
  }
  private let handler: Guarded<Handler>
  // Read and written on the loop's thread alone.
  nonisolated(unsafe) var raw: OpaquePointer?

  init(loop: EventLoop, kind: Kind, handler: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.kind = kind
    self.handler = Guarded(Handler(call: handler))
  }

  /// Ends the source: on the loop at once; from another thread no handler starts any more when this returns.
  ///
  /// A watched descriptor may be closed only after this ran on the loop, or epoll is left with a number that may
  /// already be somebody else's.
  package func cancel() {
    release()
    let removal: @Sendable () -> Void = { [self] in loop.remove(self) }
    if loop.isCurrent { removal() } else { loop.submit(removal) }
  }

  /// What the handler of a watched descriptor is called for; at first for what can be read. Call it on the loop.
  ///
  /// While it is called for anything, it is also called when the other side has hung up.
  package func await(_ readiness: Readiness) {
    guard let raw = unsafe raw else { return }
    if !readiness.isEmpty { unsafe sd_event_source_set_io_events(raw, readiness.rawValue) }
    unsafe sd_event_source_set_enabled(raw, Int32(readiness.isEmpty ? SD_EVENT_OFF : SD_EVENT_ON))
  }

  /// What a watched descriptor is ready for, as epoll_ctl(2) has it.
  package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let readable = Readiness(rawValue: UInt32(EPOLLIN.rawValue))
    package static let writable = Readiness(rawValue: UInt32(EPOLLOUT.rawValue))
  }

  /// Drops the handler, outside the lock: what it captured may have a deinit of its own.
  func release() {
    let dropped = handler.withLock { handler in
      defer { handler.call = nil }
      return handler
    }
    _ = dropped
  }

  func fire() {
    let action = handler.withLock { handler in
      defer { if kind == .timer { handler.call = nil } }
      return handler
    }
    // One that was cancelled elsewhere goes here too: its removal waits in the loop's queue, and a ready descriptor of
    // higher priority would keep that queue from its turn for ever.
    if kind == .timer || action.call == nil { loop.remove(self) }
    action.call?()
  }

  var isCancelled: Bool { handler.withLock { $0.call == nil } }
}
