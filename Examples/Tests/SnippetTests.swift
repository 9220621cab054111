/// What the articles of the documentation show, at work.
import Foundation
import Mediator
import MediatorBridge
import MediatorTestKit
import Synchronization
import Testing

@testable import Snippets

@Suite(.timeLimit(.minutes(1)))
struct SnippetTests {
  /// A service of another framework: runs until it is asked to end.
  private final class Service: Sendable {
    private let end = AsyncStream.makeStream(of: Void.self)
    func run() async { for await _ in end.stream {} }
    func shutDown() { end.continuation.finish() }
  }

  struct Refused: Error {}

  @Test("a foreign service runs from the start to the stop, which waits for its end")
  func foreignService() async throws {
    let service = Service()
    let driver = LifecycleDriver { ForeignService("http", run: service.run, shutDown: service.shutDown) {} }
    try await driver.start()
    #expect(await driver.stop() == 0)
  }

  @Test("a foreign service that ends of itself stops the lifecycle, and its error is the exit status")
  func endsEarly() async throws {
    let end = Mutex<(@Sendable () -> Void)?>(nil)
    let driver = LifecycleDriver {
      ForeignService("http", run: { throw Refused() }, shutDown: {}) { end.withLock(\.self)?() }
    }
    let lifecycle = driver.lifecycle
    end.withLock { $0 = { lifecycle.requestStop() } }
    driver.run()
    #expect(await driver.exitStatus() == 70)
  }

  @Test("a bridge with a foreign service among its listeners stops for SIGTERM")
  func beside() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let service = Service()
      let status = try await serve(
        {
          kill(getpid(), SIGTERM)
          await service.run()
        }, shutDown: service.shutDown)
      exit(status)
    }
  }

  @Test("the bridge as a service of a group ends when it is asked to, tells how, and leaves SIGTERM alone")
  func lifecycleService() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let service = try LifecycleService { Pool { throw Refused() }.optional() }
      async let run: Void = service.run()
      try await service.bridge.lifecycle.state(.foreground)
      service.shutDown()
      try await run
      kill(getpid(), SIGTERM)
      for await _ in AsyncStream<Void>.makeStream().stream {}
    }
  }

  @Test("a program's own signal sources reload and stop")
  func hostSignals() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let bridge = try LifecycleBridge(signals: .host) {}
      let sources = signalSources(for: bridge.lifecycle)
      async let status = bridge.run()
      try await bridge.lifecycle.state(.foreground)
      kill(getpid(), SIGHUP)
      for await case .nothingToReload in bridge.lifecycle.reports { break }
      kill(getpid(), SIGTERM)
      let exitStatus = await status
      withExtendedLifetime(sources) {}
      exit(exitStatus)
    }
  }

  @Test("a file that is no certificate refuses the reload, a good one comes into force, and the endpoint says so")
  func certificate() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let old = Data("-----BEGIN CERTIFICATE-----\nold".utf8)
    try old.write(to: file)
    let certificate = Certificate(file: file)
    let driver = LifecycleDriver { certificate }
    try await driver.start()

    try Data("nothing".utf8).write(to: file)
    let refusal = await answerToReload(driver.lifecycle)
    #expect(refusal.status == 409)
    #expect(refusal.text.contains("is no certificate"))
    #expect(await certificate.current == old)

    let new = Data("-----BEGIN CERTIFICATE-----\nnew".utf8)
    try new.write(to: file)
    #expect(await answerToReload(driver.lifecycle).status == 200)
    #expect(await certificate.current == new)
    #expect(await driver.stop() == 0)
    #expect(await answerToReload(driver.lifecycle).status == 503)
  }

  @Test("SIGRTMIN+1 makes the access log go on in a new file when the old one was moved away")
  func accessLog() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let file = FileManager.default.temporaryDirectory.appending(path: "access-\(UUID())")
      let moved = file.appendingPathExtension("1")
      let log = AccessLog(path: file.path)
      let bridge = try LifecycleBridge { log }
      async let status = bridge.run()
      let reports = bridge.lifecycle.reports
      try await bridge.lifecycle.state(.foreground)
      try await log.write("one")
      try FileManager.default.moveItem(at: file, to: moved)
      kill(getpid(), SignalNumber.realtime(1).rawValue)
      for await case .eventEnded(.didReceiveSignal, _, _, _, _) in reports { break }
      try await log.write("two")
      bridge.lifecycle.requestStop()
      _ = await status
      let contents = try [moved, file].map { try String(contentsOf: $0, encoding: .utf8) }
      for file in [file, moved] { try FileManager.default.removeItem(at: file) }
      precondition(contents == ["one\n", "two\n"], "\(contents)")
      exit(0)
    }
  }
}
