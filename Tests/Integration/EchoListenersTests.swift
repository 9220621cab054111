/// EchoServer's listeners in this process, driven where signals would have to hit a moment.
import Foundation
import Mediator
import MediatorTestKit
import Testing

@testable import EchoServer

@Suite(.timeLimit(.minutes(5)), .serialized)
struct EchoListenersTests {
  /// Stands behind the acceptor, and holds up the reload or refuses it.
  private struct Last: ReloadListener {
    let reached: AsyncStream<Void>.Continuation
    var holds = false

    func prepareReload(_ transition: LifecycleTransition) {}
    func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws {
      reached.yield()
      if holds {
        // Until the stop cancels it.
        for await _ in AsyncStream<Never>.makeStream().stream {}
      }
      throw BadGreeting(file: "none", fault: "refused")
    }
    func revertReload(_ transition: LifecycleTransition) {}
  }

  private struct Service {
    let greeting: Greeting
    let driver: LifecycleDriver
    let file: URL
    let reached: AsyncStream<Void>
    let port: UInt16

    init(lastHolds: Bool) async throws {
      file = FileManager.default.temporaryDirectory.appending(path: "greeting-\(UUID().uuidString)")
      try Data("old".utf8).write(to: file)
      let greeting = Greeting(file: file.path)
      let acceptor = Acceptor(port: 0, greeting: greeting)
      let (reached, continuation) = AsyncStream.makeStream(of: Void.self)
      driver = LifecycleDriver {
        greeting
        acceptor
        Last(reached: continuation, holds: lastHolds)
      }
      self.greeting = greeting
      self.reached = reached
      try await driver.start()
      port = try #require(await acceptor.boundPort)
      try Data("new".utf8).write(to: file)
    }

    func end() { try? FileManager.default.removeItem(at: file) }
  }

  @Test("a later listener's refusal puts the old greeting back")
  func revert() async throws {
    let service = try await Service(lastHolds: false)
    defer { service.end() }
    guard case .failed = await service.driver.reload() else {
      Issue.record("it was not refused")
      return
    }
    #expect(service.greeting.line == "old")
    #expect(try EchoClient(port: service.port).receiveLine() == "old")
    #expect(await service.driver.stop() == 0)
  }

  @Test("B13: a stop in the middle of a reload comes without a background of its own, and still drains")
  func stopInReload() async throws {
    let service = try await Service(lastHolds: true)
    defer { service.end() }
    let client = try EchoClient(port: service.port)
    #expect(try client.receiveLine() == "old")
    // Tasks of their own: a test that fails half-way does not wait for them.
    let reload = Task { await service.driver.reload() }
    for await _ in service.reached { break }
    #expect(try EchoClient(port: service.port).receiveLine() == "new")

    let stop = Task { await service.driver.stop() }
    // Refused only when the socket is closed, which is before the drain.
    let isClosed = await eventually { (try? EchoClient(port: service.port)) == nil }
    #expect(isClosed)
    #expect(try client.echo("in flight") == "in flight")
    client.finish()
    #expect(try client.receiveAll() == [])

    #expect(await stop.value == 0)
    #expect(await reload.value == .droppedByStop)
    #expect(service.greeting.line == "old")
    let stops = service.driver.events.filter { $0.reason == .stop }
    #expect(
      stops == [
        RecordedEvent("Greeting", .revertReload, .stop), RecordedEvent("Last", .willTerminate, .stop),
        RecordedEvent("Acceptor", .willTerminate, .stop), RecordedEvent("Greeting", .willTerminate, .stop),
      ])
  }

  @Test("a port that is taken fails the start with its errno")
  func portTaken() async throws {
    let service = try await Service(lastHolds: false)
    defer { service.end() }
    let greeting = Greeting(file: nil)
    let port = service.port
    let second = LifecycleDriver {
      greeting
      Acceptor(port: port, greeting: greeting)
    }
    await #expect(throws: LifecycleError.self) { try await second.start() }
    #expect(await second.exitStatus() == 69)
    let last = second.notifyMessages.last { $0.contains("STOPPING=1") } ?? ""
    #expect(last.contains("ERRNO=\(EADDRINUSE)"))
    #expect(last.contains("STATUS=start failed: Acceptor: port \(port)"))
    #expect(await service.driver.stop() == 0)
  }
}
