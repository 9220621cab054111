/// What listeners may be, and what their abilities do.
import Foundation
import Glibc
import Mediator
import MediatorTestKit
import Testing

@testable import Snippets

extension SnippetTests {
  @Test("a listener with abilities brings their capabilities, and what it says is shown in STATUS")
  func abilities() async throws {
    let sessions = Sessions(most: 2)
    let driver = LifecycleDriver { sessions }
    #expect(driver.lifecycle.capabilities == [.health, .status])
    try await driver.start()
    await sessions.begin()
    try await sessions.checkHealth()
    driver.lifecycle.updateStatus()
    #expect(await eventually { driver.notifyMessages.last == "STATUS=1 sessions" })
    await sessions.begin()
    await #expect(throws: LifecycleError.self) { try await sessions.checkHealth() }
    #expect(await driver.stop() == 0)
    #expect(await sessions.status == "")
  }

  @Test("a struct, a class, a class of the main actor and an actor are told alike")
  func kinds() async throws {
    let (log, dashboard, meter) = (Ledger(), Dashboard(), Meter())
    let driver = LifecycleDriver {
      log
      Banner(log: log)
      dashboard
      meter
    }
    try await driver.start()
    #expect(await dashboard.isLit)
    try await driver.pause()
    #expect(await !dashboard.isLit)
    try await driver.resume()
    #expect(await meter.told == 2)
    #expect(await driver.stop() == 0)
    #expect(log.lines == ["banner", "end"])
  }

  @Test("a synchronous listener is told of each event in one function")
  func trace() async throws {
    let trace = Trace()
    let driver = LifecycleDriver { trace }
    try await driver.start()
    #expect(await driver.stop() == 0)
    #expect(
      trace.events == [
        "willFinishLaunching (start)", "didFinishLaunching (start)", "willEnterForeground (start)",
        "didBecomeActive (start)", "willResignActive (stop)", "didEnterBackground (stop)", "willTerminate (stop)",
      ])
  }

  @Test("scarce memory empties a cache, more of it the scarcer it is, and another time moves midnight")
  func machineNews() async throws {
    let thumbnails = Thumbnails { Date(timeIntervalSinceReferenceDate: 1) }
    let driver = LifecycleDriver { thumbnails }
    try await driver.start()
    await thumbnails.keep(Data(count: 5000), of: "large")
    await thumbnails.keep(Data(count: 10), of: "small")
    await driver.warn(of: MemoryPressure(level: .some))
    #expect(await thumbnails.images.keys.sorted() == ["small"])
    await driver.warn(of: MemoryPressure(level: .full))
    #expect(await thumbnails.images.isEmpty)
    await driver.change(.clockWasSet)
    #expect(driver.events.last == RecordedEvent("Thumbnails", .significantTimeChange, .start))
    #expect(await thumbnails.midnight == Date(timeIntervalSinceReferenceDate: 1))
    #expect(await driver.stop() == 0)
  }

  @Test("a credential is read when it becomes available, and forgotten when it goes")
  func secrets() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "api-key")
    try "secret\n".write(to: file, atomically: true, encoding: .utf8)
    let key = APIKey()
    let context = LifecycleContext(start: StartInformation(credentialsDirectory: folder.path))
    let driver = LifecycleDriver(context: context) { key }
    try await driver.start()
    #expect(await key.current == "secret")
    try "renewed".write(to: file, atomically: true, encoding: .utf8)
    await driver.secrets(available: true)
    #expect(await key.current == "renewed")
    await driver.secrets(available: false)
    #expect(await key.current == nil)
    #expect(await driver.stop() == 0)
  }

  @Test("a program takes the socket that bears its name, and opens one itself where none is passed")
  func activation() async throws {
    let byHand = Web { 7 }
    let driver = LifecycleDriver { byHand }
    try await driver.start()
    #expect(await byHand.socket == 7)
    #expect(await driver.stop() == 0)

    let passed = LifecycleContext(start: StartInformation(sockets: ["mail": [0]]))
    let started = LifecycleDriver(context: passed) { Web { 7 } }
    await #expect(throws: LifecycleError.self) { try await started.start() }
    #expect(started.notifyMessages.contains { $0.contains("there is no socket named web, but mail") })
  }

  @Test("a socket that was kept is taken up again, and another port has another one")
  func kept() async throws {
    let first = Gateway(port: 80) { _ in Self.listeningSocket() }
    let driver = LifecycleDriver { first }
    try await driver.start()
    let socket = try #require(await first.socket)
    #expect(await driver.stop() == 0)

    let start = StartInformation(keptSockets: ["port-80": socket])
    for (port, isTaken) in [(UInt16(80), true), (81, false)] {
      let next = Gateway(port: port) { _ in Self.listeningSocket() }
      let driver = LifecycleDriver(context: LifecycleContext(start: start)) { next }
      try await driver.start()
      #expect(await (next.socket == socket) == isTaken)
      #expect(await driver.stop() == 0)
    }
  }

  private static func listeningSocket() -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    precondition(listen(descriptor, 1) == 0)
    return descriptor
  }

  @Test("a worker works until the stop, which waits for it")
  func worker() async throws {
    let jobs = AsyncStream.makeStream(of: String.self)
    let worker = QueueWorker(jobs: jobs.stream)
    let driver = LifecycleDriver { worker }
    try await driver.start()
    jobs.continuation.yield("bake")
    #expect(await eventually { await worker.done == ["bake"] })
    #expect(await driver.stop() == 0)
    #expect(await worker.isClosed)
  }

  @Test("a required worker that ends by itself stops the lifecycle with 70, an optional one makes it degraded")
  func workerEnds() async throws {
    let jobs = AsyncStream.makeStream(of: String.self)
    let driver = LifecycleDriver { QueueWorker(jobs: jobs.stream) }
    try await driver.start()
    jobs.continuation.finish()
    #expect(await driver.exitStatus() == 70)

    let (closed, end) = AsyncStream.makeStream(of: String.self)
    end.finish()
    let other = LifecycleDriver { QueueWorker(jobs: closed).optional() }
    try await other.start()
    let degraded = "degraded: QueueWorker: the queue has gone away"
    #expect(await eventually { other.notifyMessages.last?.contains(degraded) == true })
    #expect(await other.stop() == 0)
  }
}
