/// One stream connection whose every step has an end on CLOCK_MONOTONIC; closed when it is released.
internal import Glibc

package final class StreamConnection: Sendable {
  private let descriptor: Int32

  /// Returns when somebody accepts connections there; blocks until `end`, in µs, at most.
  ///
  /// Fails with what connect(2) says, ETIMEDOUT when the time is over, EAFNOSUPPORT where the host has no such
  /// network. A socket that met itself, as one may on a port of the loopback where nobody listens, counts as refused.
  package init(to address: SocketAddress, until end: UInt64) throws(LinuxError) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(address.family, type, 0)
    guard descriptor >= 0 else { throw LinuxError("socket", errno) }
    let descriptor = descriptor
    let (result, code) = unsafe address.bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
      let result = unsafe Glibc.connect(descriptor, start, socklen_t(bytes.count))
      return (result, errno)
    }
    if result != 0 {
      // Interrupted, a connect goes on as one in progress does.
      guard code == EINPROGRESS || code == EINTR else { throw LinuxError("connect", code) }
      try wait(for: POLLOUT, "connect", until: end)
      try checkConnected()
    }
    if meetsItself() { throw LinuxError("connect", ECONNREFUSED) }
  }

  deinit { if descriptor >= 0 { _ = close(descriptor) } }

  /// Sends all bytes. Fails with what send(2) says, and ETIMEDOUT when the time is over.
  package func send(_ bytes: [UInt8], until end: UInt64) throws(LinuxError) {
    var sent = 0
    while sent < bytes.count {
      if let count = try StreamTransfer.send(bytes[sent...], to: descriptor) {
        sent += count
      } else {
        try wait(for: POLLOUT, "send", until: end)
      }
    }
  }

  /// What has come, `limit` bytes at most; empty at the end. Fails with what recv(2) says, and ETIMEDOUT when the time
  /// is over.
  package func receive(limit: Int, until end: UInt64) throws(LinuxError) -> [UInt8] {
    while true {
      switch try StreamTransfer.receive(from: descriptor, limit: limit) {
      case .bytes(let bytes): return bytes
      case .end: return []
      case .nothing: try wait(for: POLLIN, "recv", until: end)
      }
    }
  }

  private func wait(for events: Int32, _ call: String, until end: UInt64) throws(LinuxError) {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      let now = MonotonicClock.microseconds()
      let left = end > now ? min((end - now + 999) / 1000, UInt64(Int32.max)) : 0
      let count = unsafe poll(&entry, 1, Int32(left))
      if count > 0 { return }
      if count < 0, errno != EINTR { throw LinuxError("poll", errno) }
      if count == 0, MonotonicClock.microseconds() >= end { throw LinuxError(call, ETIMEDOUT) }
    }
  }

  private func checkConnected() throws(LinuxError) {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
      throw LinuxError("getsockopt", errno)
    }
    if code != 0 { throw LinuxError("connect", code) }
  }

  /// A connect to a free port of the loopback may be given that very port as its own, and then succeeds.
  private func meetsItself() -> Bool {
    let own = unsafe name(getsockname)
    let peer = unsafe name(getpeername)
    return own != nil && own == peer
  }

  private func name(
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
    var size = socklen_t(bytes.count)
    let result = unsafe bytes.withUnsafeMutableBytes { buffer in
      guard let start = unsafe buffer.assumingMemoryBound(to: sockaddr.self).baseAddress else { return Int32(-1) }
      return unsafe ask(descriptor, start, &size)
    }
    return result == 0 ? Array(bytes.prefix(Int(size))) : nil
  }
}
