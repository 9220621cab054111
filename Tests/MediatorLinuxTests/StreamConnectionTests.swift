import Glibc
import MediatorLinux
import Testing

@Suite("Stream connections", .timeLimit(.minutes(5)))
struct StreamConnectionTests {
  private func soon(_ limit: Duration = .seconds(5)) -> UInt64 { MonotonicClock.microseconds(after: limit) }

  @Test("Bytes go there and come back, and the end is no bytes")
  func exchange() throws {
    let server = try #require(LoopbackServer())
    let connection = try StreamConnection(to: server.address(), until: soon())
    let peer = accept(server.descriptor, nil, nil)
    try #require(peer >= 0)
    try connection.send(Array("question".utf8), until: soon())
    var buffer = [UInt8](repeating: 0, count: 64)
    #expect(recv(peer, &buffer, 8, Int32(MSG_WAITALL)) == 8)
    #expect(buffer.prefix(8) == Array("question".utf8)[...])
    #expect(Glibc.send(peer, "answer", 6, 0) == 6)
    close(peer)
    var answer: [UInt8] = []
    while case let bytes = try connection.receive(limit: 4, until: soon()), !bytes.isEmpty {
      #expect(bytes.count <= 4)
      answer += bytes
    }
    #expect(answer == Array("answer".utf8))
  }

  @Test("A peer that neither reads nor answers takes its time and no more")
  func silent() throws {
    let server = try #require(LoopbackServer())
    let connection = try StreamConnection(to: server.address(), until: soon())
    #expect(throws: LinuxError("recv", ETIMEDOUT)) { try connection.receive(limit: 1, until: soon(.milliseconds(20))) }
    #expect(throws: LinuxError("recv", ETIMEDOUT)) { try connection.receive(limit: 1, until: 0) }
    // More than the buffers of both sides hold.
    let many = [UInt8](repeating: 0, count: 64 << 20)
    #expect(throws: LinuxError("send", ETIMEDOUT)) { try connection.send(many, until: soon(.milliseconds(200))) }
  }

  @Test("A peer that is gone is an error, not a signal")
  func gone() throws {
    let server = try #require(LoopbackServer())
    let connection = try StreamConnection(to: server.address(), until: soon())
    let peer = accept(server.descriptor, nil, nil)
    try #require(peer >= 0)
    var atOnce = linger(l_onoff: 1, l_linger: 0)
    #expect(setsockopt(peer, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size)) == 0)
    close(peer)
    #expect(throws: LinuxError("recv", ECONNRESET)) { try connection.receive(limit: 1, until: soon()) }
    #expect(throws: LinuxError("send", EPIPE)) { try connection.send([1], until: soon()) }
  }
}
