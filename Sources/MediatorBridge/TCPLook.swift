internal import Glibc
internal import MediatorLinux

/// One look at whether a host accepts TCP connections, at any of its addresses.
struct TCPLook: Sendable {
  var host: String
  var port: UInt16
  /// How long each address may take to answer.
  var limit = Duration.seconds(1)

  /// nil when one address accepts; blocks as long as the resolver does, and then a second an address at most.
  func reasonAgainst() -> WaitReason? {
    do throws(SocketAddress.ResolveError) {
      return Self.reason(against: try SocketAddress.resolve(host: host, port: port)) { address throws(LinuxError) in
        try TCPProbe.connect(to: address, within: limit)
      }
    } catch {
      return WaitReason("cannot look up the host: \(error)")
    }
  }

  /// Tries one address after the other; the reason is that of the last one that says something of the service.
  static func reason(
    against addresses: [SocketAddress], connect: (SocketAddress) throws(LinuxError) -> Void
  ) -> WaitReason? {
    var code: Int32?
    for address in addresses {
      do throws(LinuxError) {
        try connect(address)
        return nil
      } catch {
        // A host without IPv6 says nothing of the service when it says so.
        if code == nil || !saysNothing(error.code) { code = error.code }
      }
    }
    return WaitReason(code.map { LinuxError.text($0) } ?? "the host has no address")
  }

  private static func saysNothing(_ code: Int32) -> Bool {
    code == EAFNOSUPPORT || code == EADDRNOTAVAIL || code == ENETUNREACH
  }
}
