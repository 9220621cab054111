import Foundation
import Glibc
import Mediator
import MediatorLinux
import Testing

@testable import MediatorBridge

/// A TCP socket on the loopback that takes its port at once and listens when it is told to.
private final class LoopbackPort: Sendable {
  let descriptor: Int32
  let port: UInt16

  init?(_ host: String = "127.0.0.1") {
    guard let address = try? SocketAddress.resolve(host: host, port: 0).first else { return nil }
    descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var bytes = address.bytes
    var size = socklen_t(bytes.count)
    let descriptor = descriptor
    let isBound = bytes.withUnsafeMutableBytes { buffer in
      let start = buffer.assumingMemoryBound(to: sockaddr.self).baseAddress!
      return bind(descriptor, start, size) == 0 && getsockname(descriptor, start, &size) == 0
    }
    port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    guard isBound else { return nil }
  }

  deinit { close(descriptor) }

  func listen() { _ = Glibc.listen(descriptor, 1024) }
}

@Suite("Waiting for a TCP server", .timeLimit(.minutes(5)))
struct WaitForTCPTests {
  static let hasIPv6 = LoopbackPort("::1") != nil

  private static func start(_ listener: WaitFor) async -> LifecycleError? {
    do {
      try await listener.didFinishLaunching(
        LifecycleTransition(event: .didFinishLaunching, reason: .start, origin: .embedder))
      return nil
    } catch {
      return error as? LifecycleError
    }
  }

  @Test("The error says who was not there and why")
  func refused() async throws {
    let port = try #require(LoopbackPort())
    let error = try #require(await Self.start(.tcp("127.0.0.1", port.port, within: .milliseconds(50))))
    #expect(error.listener == "tcp 127.0.0.1:\(port.port)")
    #expect(error.errno == ETIMEDOUT)
    #expect(error.message == "not there after 0.05 seconds: Connection refused")
    #expect(WaitFor.tcp("::1", 80, within: .seconds(1)).name == "tcp [::1]:80")
  }

  @Test("A host that cannot be looked up is a reason to wait too")
  func unknownHost() async throws {
    let error = try #require(await Self.start(.tcp("no such host", 80, within: .milliseconds(10))))
    #expect(error.message.contains("cannot look up the host: ") || error.message.hasSuffix("no answer"))
  }

  @Test("A server that begins to listen later is met")
  func later() async throws {
    let port = try #require(LoopbackPort())
    async let ending = Self.start(.tcp("127.0.0.1", port.port, within: .seconds(30)))
    port.listen()
    #expect(await ending == nil)
  }

  @Test("F02: localhost counts with a server on 127.0.0.1 only")
  func onlyIPv4() async throws {
    let port = try #require(LoopbackPort())
    port.listen()
    #expect(await Self.start(.tcp("localhost", port.port, within: .seconds(10))) == nil)
  }

  @Test("F02: a name with several addresses counts with a server on one of them only, whichever it is")
  func oneOfSeveral() throws {
    // What `localhost` resolves to is the machine's business: the addresses are given, IPv6 where the host has it.
    for only in ["127.0.0.1", "127.0.0.2"] + (Self.hasIPv6 ? ["::1"] : []) {
      let port = try #require(LoopbackPort(only))
      port.listen()
      var addresses = try ["127.0.0.1", "127.0.0.2"].flatMap { try SocketAddress.resolve(host: $0, port: port.port) }
      if Self.hasIPv6 { addresses += try SocketAddress.resolve(host: "::1", port: port.port) }
      for addresses in [addresses, addresses.reversed()] {
        let reason = TCPLook.reason(against: addresses) { address throws(LinuxError) in
          try TCPProbe.connect(to: address, within: .seconds(5))
        }
        #expect(reason == nil, "a server on \(only) alone")
      }
    }
  }

  @Test("F02: every address is tried, also behind one whose network the host does not have")
  func noIPv6() throws {
    let port = try #require(LoopbackPort())
    let missing = SocketAddress(family: 63, bytes: [63, 0] + [UInt8](repeating: 0, count: 26))
    let there = try SocketAddress.resolve(host: "127.0.0.1", port: port.port)
    func reason(_ addresses: [SocketAddress]) -> WaitReason? {
      TCPLook.reason(against: addresses) { address throws(LinuxError) in
        try TCPProbe.connect(to: address, within: .seconds(5))
      }
    }
    #expect(reason([missing] + there) == WaitReason("Connection refused"))
    #expect(reason(there + [missing]) == WaitReason("Connection refused"))
    #expect(reason([missing]) == WaitReason("Address family not supported by protocol"))
    #expect(reason([]) == WaitReason("the host has no address"))
    port.listen()
    #expect(reason([missing] + there) == nil)
    #expect(reason(there + [missing]) == nil)
  }

  @Test("Waiting leaves no descriptor open, whether it ends well, badly or by cancellation")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      func open() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
      let (listening, refusing) = (LoopbackPort()!, LoopbackPort()!)
      listening.listen()
      _ = await WaitForTCPTests.start(.tcp("localhost", listening.port, within: .seconds(10)))
      let before = open()
      for _ in 0..<50 {
        _ = await WaitForTCPTests.start(.tcp("localhost", listening.port, within: .seconds(10)))
        _ = await WaitForTCPTests.start(.tcp("localhost", refusing.port, within: .milliseconds(1)))
        let cancelled = Task { await WaitForTCPTests.start(.tcp("localhost", refusing.port, within: .seconds(60))) }
        cancelled.cancel()
        _ = await cancelled.value
      }
      // Some, but not one a look: Dispatch may open its own at any time.
      #expect(open() < before + 10)
    }
  }
}
