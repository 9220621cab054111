/// A pipe through which a program says once that it is ready, by a line.
internal import CMediatorLinux
internal import Glibc

/// The protocol of s6: the program gets the write end under a number that it was told, writes anything that ends with a
/// newline, and closes it.
package final class ReadinessPipe: Sendable {
  package enum Outcome: Hashable, Sendable {
    /// A newline came.
    case ready
    /// Every write end was closed, and none had come.
    case closed
  }

  private struct State: Sendable {
    var writeEnd: Int32
    var source: EventSource?
    var cancelled = false
  }
  private let state: Guarded<State>
  /// Closed by the loop alone, and in `deinit`.
  private let readEnd: Int32

  package init() throws(LinuxError) {
    var ends: [Int32] = [-1, -1]
    let result = unsafe mediator_pipe(&ends)
    guard result >= 0 else { throw LinuxError("pipe2", -result) }
    readEnd = ends[0]
    state = Guarded(State(writeEnd: ends[1]))
  }

  deinit {
    closeWriteEnd()
    _ = close(readEnd)
  }

  /// For `SpawnRequest.descriptors`; closed on exec, and -1 once closed.
  package var writeEnd: Int32 { state.withLock { $0.writeEnd } }

  /// Leaves the child's own as the only write end. Call it once the child was started, or its end is never seen.
  package func closeWriteEnd() {
    let descriptor = state.withLock { state in
      defer { state.writeEnd = -1 }
      return state.writeEnd
    }
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Tells on the loop, once, which of the two came. Call it once.
  ///
  /// What comes after the newline is read and dropped until the program closes its end: it must not die of SIGPIPE
  /// because it says more than was asked. The pipe stays alive until then, or until `cancel()`.
  package func watch(on loop: EventLoop, _ told: @escaping @Sendable (Outcome) -> Void) throws(LinuxError) {
    let wasTold = Guarded(false)
    let source = try loop.watch(descriptor: readEnd) { self.readable(wasTold, told) }
    let cancelled = state.withLock { state in
      if !state.cancelled { state.source = source }
      return state.cancelled
    }
    if cancelled { source.cancel() }
  }

  /// Ends the watch; nothing is told that has not begun to be.
  package func cancel() {
    let source = state.withLock { state in
      defer { (state.source, state.cancelled) = (nil, true) }
      return state.source
    }
    guard let source else { return }
    source.cancel()
    // The last reference may be the caller's: the number is closed after the loop has let go of it.
    if !source.loop.isCurrent { source.loop.submit { withExtendedLifetime(self) {} } }
  }

  private func readable(_ wasTold: Guarded<Bool>, _ told: (Outcome) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var count: Int
    repeat { count = unsafe read(readEnd, &buffer, buffer.count) } while count < 0 && errno == EINTR
    if count < 0, errno == EAGAIN { return }
    let isEnd = count <= 0
    if isEnd { cancel() }
    guard isEnd || buffer[..<count].contains(UInt8(ascii: "\n")) else { return }
    let isFirst = wasTold.withLock { wasTold in
      defer { wasTold = true }
      return !wasTold
    }
    if isFirst { told(isEnd ? .closed : .ready) }
  }
}
