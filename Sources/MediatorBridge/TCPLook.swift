internal import Glibc
internal import MediatorLinux

/// One look at whether a host accepts TCP connections, at any of its addresses.
package struct TCPLook: Sendable {
  private var host: String
  private var port: UInt16
  /// How long each address may take to answer.
  private var limit: Duration

  package init(host: String, port: UInt16, limit: Duration = .seconds(1)) {
    (self.host, self.port, self.limit) = (host, port, limit)
  }

  /// nil when one address accepts; blocks as long as the resolver does, and then `limit` an address at most.
  package func reasonAgainst() -> WaitReason? {
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
        if code == nil || !saysNothing(error.code) { code = error.code }
      }
    }
    return WaitReason(code.map { LinuxError.text($0) } ?? "the host has no address")
  }

  /// A host without IPv6 says nothing of the service when it says so.
  package static func saysNothing(_ code: Int32) -> Bool {
    code == EAFNOSUPPORT || code == EADDRNOTAVAIL || code == ENETUNREACH
  }
}
