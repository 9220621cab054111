internal import Dispatch
internal import Glibc
internal import Mediator

/// Writes lines to a descriptor from a thread of its own, so that a slow, full or closed reader holds nobody up.
final class LogWriter: Sendable {
  private struct State {
    var buffer: LogBuffer
    var isWriting = false
  }

  private let descriptor: Int32
  private let state: Locked<State>
  private let queue = DispatchQueue(label: "lifecycled-log")

  init(descriptor: Int32, buffer: LogBuffer) {
    self.descriptor = descriptor
    state = Locked(State(buffer: buffer))
  }

  /// Never waits.
  func write(_ line: String) {
    let isIdle = state.withLock { state in
      state.buffer.add(line)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if isIdle { queue.async { self.writeAll() } }
  }

  /// Waits until everything was written, at most so long.
  func finish(within limit: DispatchTimeInterval) {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    _ = done.wait(timeout: .now() + limit)
  }

  private func writeAll() {
    while true {
      let lines = state.withLock { state in
        let lines = state.buffer.takeAll()
        if lines.isEmpty { state.isWriting = false }
        return lines
      }
      if lines.isEmpty { return }
      put(Array((lines.joined(separator: "\n") + "\n").utf8))
    }
  }

  /// What cannot be written is lost: there is nobody left to tell.
  private func put(_ bytes: [UInt8]) {
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes[start...].withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        start += count
      } else if count < 0, errno == EAGAIN {
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe Glibc.poll(&poll, 1, -1)
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }
}
