/// What send(2) and recv(2) do at once on a stream that does not wait.
internal import Glibc

package enum StreamTransfer {
  package enum Received: Hashable, Sendable {
    case bytes([UInt8])
    /// Nothing is there now.
    case nothing
    /// The other side sends no more.
    case end
  }

  /// What has come, `limit` bytes at most. Fails with what recv(2) says.
  static func receive(from descriptor: Int32, limit: Int) throws(LinuxError) -> Received {
    var (count, code) = (0, Int32(0))
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
      repeat {
        count = unsafe recv(descriptor, buffer.baseAddress, limit, 0)
        code = errno
      } while count < 0 && code == EINTR
      filled = max(count, 0)
    }
    if count > 0 { return .bytes(bytes) }
    if count == 0 { return .end }
    guard code == EAGAIN else { throw LinuxError("recv", code) }
    return .nothing
  }

  /// How many of the bytes have left; nil when there is no room now. Fails with what send(2) says.
  static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(LinuxError) -> Int? {
    while true {
      let (count, code) = unsafe bytes.withUnsafeBytes { buffer in
        let count = unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        return (count, errno)
      }
      if count >= 0 { return count }
      if code == EAGAIN { return nil }
      if code != EINTR { throw LinuxError("send", code) }
    }
  }
}
