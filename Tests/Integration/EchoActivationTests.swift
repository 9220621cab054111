/// The echo server with sockets that a service manager has bound.
import Foundation
import Glibc
import MediatorLinux
import Testing

@Suite("The echo server with a socket of the service manager", .timeLimit(.minutes(5)))
final class EchoActivationTests {
  private let listener: Int32
  private let port: UInt16

  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { [listener] in
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, SOMAXCONN) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    precondition(isBound)
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(listener) }

  private func start(_ sockets: KeyValuePairs<String, Int32>) throws -> ExampleProcess {
    try ExampleProcess("EchoServer", ["--greeting", "greeting"], files: ["greeting": "Hello."], sockets: sockets)
  }

  @Test("it serves on the socket that it was passed, which stays when it stops, for the next one to go on")
  func serves() throws {
    // Connects before anybody serves, and waits in the kernel's queue.
    let early = try EchoClient(port: port)
    for _ in 0..<2 {
      let process = try start(["echo": listener])
      try process.waitFor("listening on 127.0.0.1:\(port)")
      try process.waitFor("state: foreground")
      let client = try EchoClient(port: port)
      #expect(try client.receiveLine() == "Hello.")
      try process.signal(SIGTERM)
      #expect(process.exitStatus() == .exited(0))
    }
    #expect(try early.receiveLine() == "Hello.")
  }

  @Test("a socket of another name, or of another kind, fails the start with what there is")
  func refused() throws {
    let misnamed = try start(["web": listener])
    #expect(misnamed.exitStatus() == .exited(69))
    #expect(misnamed.output.contains("there is no socket named echo, but web"))
    let datagram = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(datagram) }
    let wrong = try start(["echo": datagram])
    #expect(wrong.exitStatus() == .exited(69))
    #expect(wrong.output.contains("the socket echo, descriptor 3, is not a listening stream socket"))
  }
}
