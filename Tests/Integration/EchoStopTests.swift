/// How EchoServer ends: connections are drained, from whatever state it was in.
import Foundation
import Glibc
import MediatorLinux
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct EchoStopTests {
  @Test(
    "B11: SIGTERM lets no newcomer in, brings back every byte in flight, and exits with 0",
    arguments: [SIGTERM, SIGINT])
  func drain(number: Int32) throws {
    let server = try EchoProcess(greeting: "hello")
    let client = try EchoClient(port: server.port)
    #expect(try client.receiveLine() == "hello")
    // More than the buffers of both sides hold, so that most of it is still to be sent when the signal comes.
    let bytes = Array(repeatElement(Array(0...UInt8.max) + [7], count: 16_000).joined())
    let sender = EchoLoad(threads: 1, once: true) {
      try client.send(bytes)
      client.finish()
    }
    #expect(try client.receive(1000) == Array(bytes.prefix(1000)))

    try server.signal(number, expecting: "willTerminate (stop)")
    #expect(throws: EchoClient.Refusal(call: "connect", code: ECONNREFUSED)) { try EchoClient(port: server.port) }

    #expect(try client.receiveAll() == Array(bytes.dropFirst(1000)))
    #expect(sender.end().faults == [])
    #expect(server.exitStatus() == .exited(0))
  }

  @Test("a client that never closes holds up the end for a few seconds and no longer")
  func idleClient() throws {
    let server = try EchoProcess(greeting: "hello")
    let client = try EchoClient(port: server.port)
    #expect(try client.receiveLine() == "hello")
    let began = ContinuousClock.now
    try server.signal(SIGTERM, expecting: "willTerminate (stop)")
    #expect(try client.echo("one more") == "one more")
    #expect(try client.receiveAll() == [])
    #expect(server.exitStatus() == .exited(0))
    let took = began.duration(to: .now)
    #expect(took > .seconds(2) && took < .seconds(6), "\(took)")
  }

  @Test("whoever waits in the kernel's queue of a paused server is served by the stop, not cut off")
  func stopWhilePaused() throws {
    let server = try EchoProcess(greeting: "hello")
    try server.signal(SIGUSR1, expecting: "state: background")
    let waiting = try EchoClient(port: server.port)
    try waiting.send("early words")
    waiting.finish()
    try server.signal(SIGTERM)
    #expect(try waiting.receiveLine() == "hello")
    #expect(try waiting.receiveAll() == Array("early words".utf8))
    #expect(server.exitStatus() == .exited(0))
    #expect(server.count(of: "didEnterBackground") == 1)
  }

  @Test("B13: SIGTERM while the new greeting is being read changes nothing, drains and exits with 0")
  func stopInPrepare() throws {
    let server = try EchoProcess(greeting: "old")
    let client = try EchoClient(port: server.port)
    #expect(try client.receiveLine() == "old")
    // Reading it lasts until somebody writes.
    try #require(unlink(server.greetingFile) == 0 && mkfifo(server.greetingFile, 0o600) == 0)
    try server.signal(SIGHUP, expecting: "prepareReload (reload)")
    try server.signal(SIGTERM, expecting: "state: stopping")
    let late = try EchoClient(port: server.port)
    #expect(try late.receiveLine() == "old")

    let writer = open(server.greetingFile, O_WRONLY | O_CLOEXEC)
    #expect(writer >= 0 && write(writer, "new", 3) == 3)
    close(writer)

    try server.waitFor("willTerminate (stop)")
    #expect(try late.echo("in flight") == "in flight")
    late.finish()
    client.finish()
    #expect(try late.receiveAll() == [])
    #expect(server.exitStatus() == .exited(0))
    #expect(server.count(of: "reloaded: generation") == 0)
    #expect(server.count(of: "not reloaded: the service stops") == 1)
  }

  @Test("B05: SIGHUP and at once SIGTERM, again and again: always exit 0, and nobody cut off")
  func stopAmidReloads() throws {
    for pauses in 0..<20 {
      let server = try EchoProcess(greeting: "hello")
      let client = try EchoClient(port: server.port)
      #expect(try client.receiveLine() == "hello")
      try server.signal(SIGHUP)
      // Each time the stop finds the reload a little further on.
      for _ in 0..<pauses { #expect(try client.echo("x") == "x") }
      try server.signal(SIGTERM)
      #expect(try client.echo("in flight") == "in flight")
      client.finish()
      #expect(try client.receiveAll() == [])
      #expect(server.exitStatus() == .exited(0), "\(server.output)")
      #expect(server.count(of: "willTerminate") == 1)
    }
  }
}
