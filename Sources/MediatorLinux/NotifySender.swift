/// The sending side of sd_notify(3): a datagram socket of its own that never blocks.
internal import CMediatorLinux
internal import Glibc

package final class NotifySender: Sendable {
  /// As `$NOTIFY_SOCKET` spelled it: a path, or `@` and an abstract name.
  package let address: String
  private let socket: Int32

  /// nil for an address that is nil or empty: there is no manager.
  ///
  /// Fails with EAFNOSUPPORT for an address of another family (`vsock:`), EINVAL for one that is none,
  /// ENAMETOOLONG for more than fits a `sockaddr_un`.
  package init?(socketPath address: String?) throws(LinuxError) {
    guard let address, !address.isEmpty else { return nil }
    self.address = address
    let bytes = Array(address.utf8)
    guard bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "@") else {
      let family = address.hasPrefix("vsock:") || address.hasPrefix("vsock-")
      throw LinuxError("NOTIFY_SOCKET=\(address)", family ? EAFNOSUPPORT : EINVAL)
    }
    guard bytes.count > 1 else { throw LinuxError("NOTIFY_SOCKET=\(address)", EINVAL) }
    guard bytes.count <= (bytes[0] == UInt8(ascii: "@") ? 108 : 107) else {
      throw LinuxError("NOTIFY_SOCKET=\(address)", ENAMETOOLONG)
    }
    socket = mediator_datagram_socket()
    guard socket >= 0 else { throw LinuxError("socket", -socket) }
  }

  deinit { _ = close(socket) }

  /// Sends one datagram. EAGAIN: the manager does not read; ECONNREFUSED, ENOENT: it is gone; EMSGSIZE: too long.
  package func send(_ payload: [UInt8], descriptors: [Int32] = []) throws(LinuxError) {
    let name = Array(address.utf8.map { CChar(bitPattern: $0) })
    let result = unsafe mediator_send_datagram(
      socket, name, name.count, payload, payload.count, descriptors, descriptors.count)
    guard result >= 0 else { throw LinuxError("sendmsg", -result) }
  }

  package func send(_ payload: String, descriptors: [Int32] = []) throws(LinuxError) {
    try send(Array(payload.utf8), descriptors: descriptors)
  }
}
