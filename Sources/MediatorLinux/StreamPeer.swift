/// A connection that somebody else has opened, and who that was; nothing of it waits.
internal import CMediatorLinux
internal import Glibc

package final class StreamPeer: Sendable {
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

  /// Whether something has come that is not received yet.
  package var hasUnread: Bool { mediator_readable_bytes(descriptor) > 0 }

  /// What has come, `limit` bytes at most. Fails with what recv(2) says.
  package func receive(limit: Int) throws(LinuxError) -> StreamTransfer.Received {
    try StreamTransfer.receive(from: descriptor, limit: limit)
  }

  /// How many of the bytes have left; 0 when there is no room now. Fails with what send(2) says.
  package func send(_ bytes: ArraySlice<UInt8>) throws(LinuxError) -> Int {
    try StreamTransfer.send(bytes, to: descriptor) ?? 0
  }
}
