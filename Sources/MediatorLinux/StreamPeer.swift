/// A connection that somebody else has opened, and who that was; nothing of it waits.
internal import Glibc

package final class StreamPeer: Sendable {
  package enum Received: Hashable, Sendable {
    case bytes([UInt8])
    /// Nothing is there now.
    case nothing
    /// The other side sends no more.
    case end
  }

  /// To watch on a loop; closed when this is released, so the watch has to end before.
  package let descriptor: Int32
  /// Of whoever connected, as it was then; the pid is 0 where it is not known here.
  package let pid: Int32
  package let uid: UInt32

  init(descriptor: Int32, pid: Int32, uid: UInt32) {
    self.descriptor = descriptor
    self.pid = pid
    self.uid = uid
  }

  deinit { _ = close(descriptor) }

  /// What has come, `limit` bytes at most. Fails with what recv(2) says.
  package func receive(limit: Int) throws(LinuxError) -> Received {
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

  /// How many of the bytes have left; 0 when there is no room now. Fails with what send(2) says.
  package func send(_ bytes: ArraySlice<UInt8>) throws(LinuxError) -> Int {
    while true {
      let (count, code) = unsafe bytes.withUnsafeBytes { buffer in
        let count = unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        return (count, errno)
      }
      if count >= 0 { return count }
      if code == EAGAIN { return 0 }
      if code != EINTR { throw LinuxError("send", code) }
    }
  }
}
