import Glibc
import MediatorLinux

/// A listening TCP socket on the loopback; whoever connects is not accepted, only queued.
final class LoopbackServer: Sendable {
  let descriptor: Int32
  let port: UInt16

  /// nil where the host has no such network.
  ///
  /// - Parameter listens: without, the port is merely taken, and connections are refused.
  init?(ipv6: Bool = false, backlog: Int32 = 1024, listens: Bool = true) {
    let family = ipv6 ? AF_INET6 : AF_INET
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let addresses = try? SocketAddress.resolve(host: ipv6 ? "::1" : "127.0.0.1", port: 0)
    guard var bytes = addresses?.first?.bytes else { return nil }
    var size = socklen_t(bytes.count)
    let (descriptor, backlog) = (descriptor, backlog)
    let isBound = bytes.withUnsafeMutableBytes { buffer in
      let address = buffer.assumingMemoryBound(to: sockaddr.self).baseAddress!
      return bind(descriptor, address, size) == 0 && (!listens || listen(descriptor, backlog) == 0)
        && getsockname(descriptor, address, &size) == 0
    }
    port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    guard isBound else { return nil }
  }

  deinit { close(descriptor) }

  func address(_ host: String = "127.0.0.1") throws -> SocketAddress {
    try SocketAddress.resolve(host: host, port: port)[0]
  }
}
