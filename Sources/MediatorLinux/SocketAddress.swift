/// An address as connect(2) takes it, and how a name becomes some of them.
internal import Glibc

package struct SocketAddress: Hashable, Sendable {
  package var family: Int32
  /// The whole `sockaddr`.
  package var bytes: [UInt8]

  package init(family: Int32, bytes: [UInt8]) {
    self.family = family
    self.bytes = bytes
  }

  /// A name without an address; what getaddrinfo(3) says of it.
  package struct ResolveError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// All addresses of a host for TCP, IPv6 and IPv4, in the order of RFC 6724; blocks as long as the resolver does.
  ///
  /// No AI_ADDRCONFIG: without a network it would take ::1 away from `localhost`.
  package static func resolve(host: String, port: UInt16) throws(ResolveError) -> [SocketAddress] {
    guard !host.utf8.contains(0) else { throw ResolveError(description: "the host contains a zero") }
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_protocol = Int32(IPPROTO_TCP)
    unsafe hints.ai_flags = AI_NUMERICSERV
    var first: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &first)
    let failure = errno
    guard code == 0 else {
      let words = code == EAI_SYSTEM ? LinuxError.text(failure) : unsafe String(cString: gai_strerror(code))
      throw ResolveError(description: words)
    }
    defer { unsafe freeaddrinfo(first) }
    var addresses: [SocketAddress] = []
    var next = unsafe first
    while let entry = unsafe next {
      if let address = unsafe entry.pointee.ai_addr {
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
        unsafe addresses.append(SocketAddress(family: entry.pointee.ai_family, bytes: Array(bytes)))
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses
  }

  /// A path, or `@` and an abstract name, which is exactly as long as it is. Fails with EINVAL for an empty one or one
  /// with a zero, and with ENAMETOOLONG for more than 107 bytes.
  package static func unix(_ name: String) throws(LinuxError) -> SocketAddress {
    let isAbstract = name.hasPrefix("@")
    let path = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8) + [0]
    guard path.count > 1, !name.utf8.contains(0) else { throw LinuxError("connect", EINVAL) }
    guard path.count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
      throw LinuxError("connect", ENAMETOOLONG)
    }
    let family = unsafe withUnsafeBytes(of: sa_family_t(AF_UNIX)) { unsafe Array($0) }
    return SocketAddress(family: AF_UNIX, bytes: family + path)
  }
}
