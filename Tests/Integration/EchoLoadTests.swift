/// EchoServer under load while it is reloaded: nobody is refused, nobody is cut off.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct EchoLoadTests {
  struct Wrong: Error { var what: String }

  @Test("D18: connections come all through a hundred reloads, good and bad, and none is refused or cut")
  func reloadsUnderLoad() throws {
    let server = try EchoProcess(greeting: "greeting 0")
    let steady = try (0..<4).map { _ throws in try EchoClient(port: server.port) }
    for client in steady { #expect(try client.receiveLine() == "greeting 0") }
    let port = server.port
    let load = EchoLoad(threads: 4) {
      let client = try EchoClient(port: port)
      let line = try client.receiveLine()
      guard line.hasPrefix("greeting ") else { throw Wrong(what: "greeted with '\(line)'") }
      guard try client.echo("ping") == "ping" else { throw Wrong(what: "cut off") }
      client.finish()
      guard try client.receiveAll().isEmpty else { throw Wrong(what: "more than was sent") }
    }

    for number in 1...100 {
      let isGood = number % 4 != 0
      try server.write(isGood ? "greeting \(number)" : "greeting\n\(number)")
      try server.signal(SIGHUP, expecting: isGood ? "reloaded: generation" : "not reloaded")
    }
    let servedMeanwhile = load.served
    let count = load.end()

    #expect(count.faults == [])
    #expect(servedMeanwhile >= 100, "fewer connections than reloads: the load was none")
    #expect(server.count(of: "reloaded: generation") == 75)
    for client in steady { #expect(try client.echo("still here") == "still here") }
    #expect(try EchoClient(port: port).receiveLine() == "greeting 99")
  }

  @Test("a burst of SIGHUPs loses no reload: the greeting of the last request is in force in the end")
  func burst() throws {
    let server = try EchoProcess(greeting: "greeting 0")
    for number in 1...50 {
      try server.write("greeting \(number)")
      try server.signal(SIGHUP)
    }
    let port = server.port
    let isThere = ExampleProcess.eventually { (try? EchoClient(port: port).receiveLine()) == "greeting 50" }
    #expect(isThere)
  }

  @Test("more clients than the server takes at once wait for their turn")
  func crowd() throws {
    let server = try EchoProcess(greeting: "hello")
    let crowd = try (0..<520).map { _ throws in try EchoClient(port: server.port) }
    for client in crowd.prefix(500) { #expect(try client.receiveLine() == "hello") }
    #expect(try crowd[0].echo("still here") == "still here")
    #expect(crowd.suffix(20).allSatisfy { !$0.hasSomething })
    for client in crowd.prefix(20) { client.finish() }
    for client in crowd.suffix(20) { #expect(try client.receiveLine() == "hello") }
  }
}
