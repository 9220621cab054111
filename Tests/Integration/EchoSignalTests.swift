/// EchoServer as its operator sees it: real signals and real sockets.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct EchoSignalTests {
  @Test("each connection is greeted and gets back what it sends until it closes")
  func echoes() throws {
    let server = try EchoProcess(greeting: "Good morning\n")
    let client = try EchoClient(port: server.port)
    #expect(try client.receiveLine() == "Good morning")
    #expect(try client.echo("one") == "one")
    #expect(try client.echo("two") == "two")
    client.finish()
    #expect(try client.receiveAll() == [])
  }

  @Test("SIGHUP reads the greeting again; connections that are open stay")
  func reload() throws {
    let server = try EchoProcess(greeting: "old")
    let client = try EchoClient(port: server.port)
    #expect(try client.receiveLine() == "old")

    try server.write("new")
    try server.signal(SIGHUP, expecting: "reloaded: generation 2")

    #expect(try EchoClient(port: server.port).receiveLine() == "new")
    #expect(try client.echo("still here") == "still here")
  }

  @Test(
    "A01: a bad greeting is refused and named, the old one stays; the next good one is taken",
    arguments: [
      ("", "it is empty"), ("\n", "it is empty"), ("a\nb", "it has more than one line"),
      (String(repeating: "x", count: 201), "it has more than 200 bytes"), (nil, "it is no UTF-8"),
    ])
  func badGreeting(text: String?, fault: String) throws {
    let server = try EchoProcess(greeting: "old")
    if let text {
      try server.write(text)
    } else {
      try Data([0x66, 0xFF]).write(to: URL(filePath: server.greetingFile))
    }
    try server.signal(SIGHUP, expecting: "not reloaded: Greeting:")
    #expect(server.output.contains("greeting is no greeting: \(fault)"))
    #expect(server.count(of: "didEnterBackground") == 0)
    #expect(try EchoClient(port: server.port).receiveLine() == "old")

    let longest = String(repeating: "x", count: 200)
    try server.write(longest + "\n")
    try server.signal(SIGHUP, expecting: "reloaded: generation 2")
    #expect(try EchoClient(port: server.port).receiveLine() == longest)
  }

  @Test("SIGUSR1 leaves newcomers waiting and open connections open; SIGUSR2 serves whoever waited")
  func pause() throws {
    let server = try EchoProcess(greeting: "hello")
    let early = try EchoClient(port: server.port)
    #expect(try early.receiveLine() == "hello")

    try server.signal(SIGUSR1, expecting: "state: background")
    let waiting = try (0..<5).map { _ throws in try EchoClient(port: server.port) }
    // The server has polled its sockets since the five came: it has answered the early one.
    #expect(try early.echo("still here") == "still here")
    #expect(waiting.allSatisfy { !$0.hasSomething })

    try server.write("hello again")
    try server.signal(SIGHUP, expecting: "reloaded: generation 2")
    #expect(waiting.allSatisfy { !$0.hasSomething })

    try server.signal(SIGUSR2, expecting: "state: foreground")
    for client in waiting {
      #expect(try client.receiveLine() == "hello again")
      #expect(try client.echo("served") == "served")
    }
  }

  @Test("neither connections nor reloads leave descriptors behind")
  func descriptors() throws {
    let server = try EchoProcess(greeting: "hello")
    func visit() throws {
      #expect(try EchoClient(port: server.port).receiveLine() == "hello")
      try server.signal(SIGHUP, expecting: "reloaded: generation")
      // A refused reload as well, and the way through the background.
      try server.write("")
      try server.signal(SIGHUP, expecting: "not reloaded")
      try server.write("hello")
      try server.signal(SIGUSR1, expecting: "state: background")
      try server.signal(SIGUSR2, expecting: "state: foreground")
    }
    try visit()
    let client = try EchoClient(port: server.port)
    #expect(try client.receiveLine() == "hello")
    let before = server.descriptorCount
    #expect(before > 0)
    for _ in 0..<20 { try visit() }
    #expect(ExampleProcess.eventually { server.descriptorCount == before }, "\(server.descriptorCount), not \(before)")
  }
}
