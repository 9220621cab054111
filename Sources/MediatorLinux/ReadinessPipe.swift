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

  /// -1 once closed.
  private let writing: Guarded<Int32>
  private let reading: WatchedDescriptor

  package init() throws(LinuxError) {
    var ends: [Int32] = [-1, -1]
    let result = unsafe mediator_pipe(&ends)
    guard result >= 0 else { throw LinuxError("pipe2", -result) }
    reading = WatchedDescriptor(ends[0])
    writing = Guarded(ends[1])
  }

  deinit { closeWriteEnd() }

  /// For `SpawnRequest.descriptors`; closed on exec, and -1 once closed.
  package var writeEnd: Int32 { writing.withLock { $0 } }

  /// Leaves the child's own as the only write end. Call it once the child was started, or its end is never seen.
  package func closeWriteEnd() {
    let descriptor = writing.withLock { end in
      defer { end = -1 }
      return end
    }
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Tells on the loop, once, which of the two came. Call it once.
  ///
  /// What comes after the newline is read and dropped until the program closes its end: it must not die of SIGPIPE
  /// because it says more than was asked. The pipe stays alive until then, or until `cancel()`.
  package func watch(on loop: EventLoop, _ told: @escaping @Sendable (Outcome) -> Void) throws(LinuxError) {
    let wasTold = Guarded(false)
    reading.keep(try loop.watch(descriptor: reading.number) { self.readable(wasTold, told) })
  }

  /// Ends the watch; nothing is told that has not begun to be.
  package func cancel() { reading.cancel() }

  private func readable(_ wasTold: Guarded<Bool>, _ told: (Outcome) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var count: Int
    repeat { count = unsafe read(reading.number, &buffer, buffer.count) } while count < 0 && errno == EINTR
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
