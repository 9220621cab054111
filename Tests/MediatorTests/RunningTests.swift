import Foundation
import Mediator
import MediatorTestKit
import Testing

/// Runs until it is cancelled, or until the test lets it end.
final class Runner: RunningListener {
  let name: String
  let log: Log
  let failing: Bool
  private let end = Gate()

  init(_ name: String, log: Log, failing: Bool = false) {
    self.name = name
    self.log = log
    self.failing = failing
  }

  func didFinishLaunching(_ transition: LifecycleTransition) async throws { log.add("\(name).didFinishLaunching") }
  func willTerminate(_ transition: LifecycleTransition) async throws { log.add("\(name).willTerminate") }

  func letEnd() async { await end.open() }

  func run() async throws {
    log.add("\(name).run")
    defer { log.add("\(name).ended") }
    await withTaskCancellationHandler {
      await end.pass()
    } onCancel: {
      Task { await end.open() }
    }
    if failing { throw Trouble("the loop broke") }
  }
}

@Suite("Work that lasts", .timeLimit(.minutes(5)))
struct RunningTests {
  @Test("A run begins after its own start, is cancelled in its turn of the stop and waited for")
  func whole() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Runner("a", log: log)
      Runner("b", log: log)
    }
    try await driver.start()
    await eventually { log.lines.count == 4 }
    #expect(Set(log.take()) == ["a.didFinishLaunching", "a.run", "b.didFinishLaunching", "b.run"])
    #expect(driver.lifecycle.capabilities == [.running])
    #expect(await driver.stop() == 0)
    #expect(log.take() == ["b.ended", "b.willTerminate", "a.ended", "a.willTerminate"])
  }

  @Test(
    "B03: a required run that throws stops the others in order, once each, with exit status 70",
    arguments: [true, false])
  func requiredEnds(failing: Bool) async throws {
    let log = Log()
    let runner = Runner("middle", log: log, failing: failing)
    let driver = LifecycleDriver {
      Named("first", log: log)
      runner
      Named("last", log: log)
    }
    try await driver.start()
    await eventually { log.lines.contains("middle.run") }
    await runner.letEnd()
    #expect(await driver.exitStatus() == 70)
    let why = failing ? "the loop broke" : "run() ended early"
    #expect(driver.notifyMessages.contains("STOPPING=1\nSTATUS=stopping: middle: \(why)"))
    #expect(
      log.take().filter { $0.hasSuffix("willTerminate") }
        == ["last.willTerminate", "middle.willTerminate", "first.willTerminate"])
  }

  @Test("An optional run that ends degrades the service")
  func optionalEnds() async throws {
    let log = Log()
    let runner = Runner("a", log: log, failing: true)
    let driver = LifecycleDriver { runner.optional() }
    try await driver.start()
    await runner.letEnd()
    #expect(await eventually { driver.notifyMessages.last == "STATUS=degraded: a: the loop broke" })
    #expect(await driver.stop() == 0)
  }

  @Test("A required run that ends in the start has failed it")
  func endsInStart() async throws {
    let log = Log()
    let runner = Runner("a", log: log, failing: true)
    let driver = LifecycleDriver {
      runner
      Named("b", log: log) { if $0.event == .didFinishLaunching { try await Task.sleep(for: .seconds(600)) } }
    }
    driver.run()
    await eventually { log.lines.contains("b.didFinishLaunching") && log.lines.contains("a.run") }
    await runner.letEnd()
    #expect(await driver.exitStatus() == 69)
    #expect(driver.notifyMessages.last == "STOPPING=1\nSTATUS=start failed: a: the loop broke")
    #expect(log.take().suffix(2) == ["b.willTerminate", "a.willTerminate"])
  }

  @Test("A run that does not care for being cancelled is left behind at the stop's deadline")
  func stubborn() async throws {
    struct Stubborn: RunningListener {
      func run() async throws { await hang() }
    }
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(9))) { Stubborn() }
    try await driver.start()
    async let status = driver.stop()
    await eventually { driver.events.last?.event == .willTerminate }
    driver.clock.advance(by: .seconds(8))
    await eventually { driver.clock.sleeperCount > 1 }
    driver.clock.advance(by: grace)
    #expect(await status == 75)
  }

  @Test("A listener that leaves takes its run with it")
  func removed() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    let token = try await driver.mediator.add(ListenerEntry(Runner("b", log: log)))
    await eventually { log.lines.last == "b.run" }
    await driver.mediator.remove(token)
    #expect(log.take().suffix(2) == ["b.ended", "b.willTerminate"])
    #expect(driver.lifecycle.capabilities.isEmpty)
    #expect(await driver.stop() == 0)
  }
}
