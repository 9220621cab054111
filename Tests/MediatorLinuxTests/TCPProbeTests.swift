import Glibc
import MediatorLinux
import Testing

@Suite("TCP probes", .timeLimit(.minutes(5)))
struct TCPProbeTests {
  static let hasIPv6 = LoopbackServer(ipv6: true) != nil

  @Test("a listening socket is met, on IPv4 and on IPv6")
  func met() throws {
    let server = try #require(LoopbackServer())
    try TCPProbe.connect(to: server.address(), within: .seconds(5))
    guard Self.hasIPv6 else { return }
    let other = try #require(LoopbackServer(ipv6: true))
    try TCPProbe.connect(to: other.address("::1"), within: .seconds(5))
  }

  @Test("where nobody listens the connection is refused")
  func refused() throws {
    let taken = try #require(LoopbackServer(listens: false))
    let address = try taken.address()
    #expect(throws: LinuxError("connect", ECONNREFUSED)) { try TCPProbe.connect(to: address, within: .seconds(5)) }
  }

  @Test("an address that does not answer takes its time and no more")
  func silent() throws {
    let server = try #require(LoopbackServer(backlog: 0))
    let address = try server.address()
    // The queue of a listening socket holds one connection more than its backlog; then Linux drops what comes.
    let first = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(first) }
    let queued = address.bytes.withUnsafeBytes {
      connect(first, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
    }
    #expect(queued == 0)
    let began = ContinuousClock.now
    #expect(throws: LinuxError("connect", ETIMEDOUT)) {
      try TCPProbe.connect(to: address, within: .milliseconds(50))
    }
    let took = began.duration(to: .now)
    #expect(took >= .milliseconds(50) && took < .seconds(5))
  }

  @Test("a network that the host does not have is an error of its own")
  func noNetwork() {
    let address = SocketAddress(family: 63, bytes: [63, 0] + [UInt8](repeating: 0, count: 26))
    #expect(throws: LinuxError("socket", EAFNOSUPPORT)) { try TCPProbe.connect(to: address, within: .seconds(1)) }
  }

  @Test("a socket that meets itself on a free port is no server")
  func itself() throws {
    // bind(2) gives out ports of one parity, connect(2) of the other: only a neighbour can be met.
    let port = try #require(LoopbackServer(listens: false)).port ^ 1
    let address = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
    var met = 0
    for _ in 0..<60_000 {
      do throws(LinuxError) {
        try TCPProbe.connect(to: address, within: .seconds(1))
        met += 1
      } catch {
        #expect(error.code == ECONNREFUSED)
      }
    }
    #expect(met == 0)
  }

  @Test("localhost has an address, a host that does not exist has words")
  func names() throws {
    #expect(try SocketAddress.resolve(host: "localhost", port: 80).contains { $0.family == AF_INET })
    #expect(try SocketAddress.resolve(host: "::1", port: 80).map(\.family) == [AF_INET6])
    let error = #expect(throws: SocketAddress.ResolveError.self) {
      try SocketAddress.resolve(host: "no such host", port: 80)
    }
    #expect(error?.description.isEmpty == false)
    #expect(throws: SocketAddress.ResolveError.self) { try SocketAddress.resolve(host: "a\0b", port: 80) }
  }

  @Test("whatever comes of it, no descriptor is left open, and none is inherited")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      let server = LoopbackServer()!
      let taken = LoopbackServer(listens: false)!
      let full = LoopbackServer(backlog: 0)!
      let addresses = [try server.address(), try taken.address(), try full.address()]
      let before = entries(of: "/proc/self/fd").count
      for _ in 0..<100 {
        for address in addresses { try? TCPProbe.connect(to: address, within: .milliseconds(1)) }
        _ = try? SocketAddress.resolve(host: "localhost", port: 1)
      }
      // Some, but not one an attempt: Dispatch may open its own at any time.
      #expect(entries(of: "/proc/self/fd").count < before + 10)
    }
  }
}
