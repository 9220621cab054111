/// The receiving side of sd_notify(3): a bound datagram socket that knows each sender.
internal import CMediatorLinux
internal import Glibc

package final class NotifyReceiver: Sendable {
  /// One message, with whoever sent it. Its descriptors belong to whoever takes it, and are closed on exec.
  package struct Datagram: Hashable, Sendable {
    package var bytes: [UInt8]
    /// 0 when the kernel gave no credentials.
    package var pid: Int32
    package var uid: UInt32
    package var gid: UInt32
    package var descriptors: [Int32]
    /// Longer than `capacity`, so the rest is lost.
    package var isTruncated: Bool

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Takes its descriptors over: they are closed with the last reference to what this returns.
    package func held() -> HeldDescriptors { HeldDescriptors(descriptors) }

    package func closeDescriptors() { for descriptor in descriptors { _ = close(descriptor) } }
  }

  /// Bytes of a message; a longer one is flagged as truncated.
  package static let capacity = 4096

  /// What belongs into the senders' `$NOTIFY_SOCKET`.
  package let address: String
  /// To watch on a loop.
  package let descriptor: Int32
  private let file: BoundFile?

  private struct Buffers: Sendable {
    var headers = [mediator_datagram](repeating: mediator_datagram(), count: MEDIATOR_MOST_DATAGRAMS)
    var payloads = [UInt8](repeating: 0, count: MEDIATOR_MOST_DATAGRAMS * NotifyReceiver.capacity)
    var descriptors = [Int32](
      repeating: -1, count: MEDIATOR_MOST_DATAGRAMS * MEDIATOR_MOST_DESCRIPTORS)
  }
  private let buffers = Guarded(Buffers())

  /// Binds to an absolute path or to `@` and an abstract name; what lay at the path is replaced in one step.
  package init(address: String) throws(LinuxError) {
    self.address = address
    let name = Array(address.utf8.map { CChar(bitPattern: $0) })
    guard !name.contains(0) else { throw LinuxError("bind", EINVAL) }
    descriptor = unsafe mediator_bind_datagram_socket(name, name.count)
    file = descriptor >= 0 && !address.hasPrefix("@") ? BoundFile(at: address) : nil
    guard descriptor >= 0 else { throw LinuxError("bind", -descriptor) }
  }

  deinit {
    // Another receiver may have taken the path over meanwhile.
    file?.remove()
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// What is there now, at most 16 messages, in the order in which they were sent; empty when there is none.
  package func receive() throws(LinuxError) -> [Datagram] {
    try buffers.withLock { buffers throws(LinuxError) in
      let count = unsafe mediator_receive_datagrams(
        descriptor, &buffers.headers, &buffers.payloads, Self.capacity, &buffers.descriptors, buffers.headers.count)
      guard count >= 0 else { throw LinuxError("recvmmsg", -count) }
      return (0..<Int(count)).map { Self.datagram($0, buffers) }
    }
  }

  private static func datagram(_ index: Int, _ buffers: Buffers) -> Datagram {
    let header = buffers.headers[index]
    let payload = buffers.payloads[(index * capacity)...].prefix(header.length)
    let first = index * MEDIATOR_MOST_DESCRIPTORS
    return Datagram(
      bytes: Array(payload), pid: header.pid, uid: header.uid, gid: header.gid,
      descriptors: Array(buffers.descriptors[first...].prefix(Int(header.descriptor_count))),
      isTruncated: header.truncated)
  }
}
