/// One attempt to connect to a TCP address, limited in time; the connection is closed at once.
internal import Glibc

package enum TCPProbe {
  /// Returns when somebody accepts connections there; blocks, `limit` at most.
  ///
  /// Fails with what connect(2) says, ETIMEDOUT when the time is over, EAFNOSUPPORT where the host has no such
  /// network. A socket that met itself, as one may on a port of the loopback where nobody listens, counts as refused.
  package static func connect(to address: SocketAddress, within limit: Duration) throws(LinuxError) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, type, Int32(IPPROTO_TCP))
    guard descriptor >= 0 else { throw LinuxError("socket", errno) }
    defer { _ = close(descriptor) }
    let end = MonotonicClock.microseconds(after: limit)
    let (result, code) = unsafe address.bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
      let result = unsafe Glibc.connect(descriptor, start, socklen_t(bytes.count))
      return (result, errno)
    }
    if result != 0 {
      // Interrupted, a connect goes on as one in progress does.
      guard code == EINPROGRESS || code == EINTR else { throw LinuxError("connect", code) }
      try wait(for: descriptor, until: end)
    }
    if meetsItself(descriptor) { throw LinuxError("connect", ECONNREFUSED) }
  }

  private static func wait(for descriptor: Int32, until end: UInt64) throws(LinuxError) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while true {
      let now = MonotonicClock.microseconds()
      let left = end > now ? min((end - now + 999) / 1000, UInt64(Int32.max)) : 0
      let count = unsafe poll(&entry, 1, Int32(left))
      if count < 0, errno != EINTR { throw LinuxError("poll", errno) }
      if count > 0 { break }
      if count == 0, MonotonicClock.microseconds() >= end { throw LinuxError("connect", ETIMEDOUT) }
    }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
      throw LinuxError("getsockopt", errno)
    }
    if code != 0 { throw LinuxError("connect", code) }
  }

  /// A connect to a free port of the loopback may be given that very port as its own, and then succeeds.
  private static func meetsItself(_ descriptor: Int32) -> Bool {
    let own = unsafe name(of: descriptor, getsockname)
    let peer = unsafe name(of: descriptor, getpeername)
    return own != nil && own == peer
  }

  private static func name(
    of descriptor: Int32, _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
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
