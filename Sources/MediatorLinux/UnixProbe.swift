/// One attempt to connect to a UNIX stream socket, limited in time; the connection is closed at once.
internal import Glibc

package enum UnixProbe {
  /// Returns when somebody accepts connections there; blocks, `limit` at most.
  ///
  /// Fails with what connect(2) says, and ETIMEDOUT when the server's queue stayed full. A non-blocking connect says
  /// EAGAIN of a full queue and poll(2) does not tell when it has room, so this one blocks with SO_SNDTIMEO.
  package static func connect(to name: String, within limit: Duration) throws(LinuxError) {
    let address = try SocketAddress.unix(name)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw LinuxError("socket", errno) }
    defer { _ = close(descriptor) }
    let end = MonotonicClock.microseconds(after: limit)
    while true {
      let now = MonotonicClock.microseconds()
      guard now < end else { throw LinuxError("connect", ETIMEDOUT) }
      var left = timeval(tv_sec: Int((end - now) / 1_000_000), tv_usec: Int((end - now) % 1_000_000))
      guard
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &left, socklen_t(MemoryLayout<timeval>.size)) == 0
      else { throw LinuxError("setsockopt", errno) }
      let (result, code) = unsafe address.bytes.withUnsafeBytes { bytes in
        let start = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
        let result = unsafe Glibc.connect(descriptor, start, socklen_t(bytes.count))
        return (result, errno)
      }
      if result == 0 { return }
      guard code == EAGAIN || code == EINTR else { throw LinuxError("connect", code) }
    }
  }
}
