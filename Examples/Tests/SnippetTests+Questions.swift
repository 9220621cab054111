/// Questions to all listeners, the snapshot, and reports for a logger.
import Foundation
import Mediator
import MediatorTestKit
import Synchronization
import Testing

@testable import Snippets

extension SnippetTests {
  @Test("the answers of all become one, by the combiner of each question")
  func questions() async throws {
    let driver = LifecycleDriver { answers(shops: ["east": 0, "west": 120, "north": 3]) }
    try await driver.start()
    #expect(await summary(driver.lifecycle) == "123 orders, at work, west is busy, debug")
    let quiet = LifecycleDriver { answers(shops: ["east": 0]) }
    try await quiet.start()
    #expect(await summary(quiet.lifecycle) == "0 orders, quiet, nothing new, info")
    #expect(await driver.stop() == 0)
    #expect(await quiet.stop() == 0)
  }

  /// Counts at once and twice, later, or never.
  private struct Client: StockClient {
    var count: Int?
    var kept: Kept?

    final class Kept: Sendable {
      struct Done: Sendable { var call: @Sendable (Int) -> Void }
      let done = Mutex<Done?>(nil)
    }

    func count(_ done: @escaping @Sendable (Int) -> Void) {
      if let count {
        done(count)
        done(count + 1000)
      }
      kept?.done.withLock { $0 = Kept.Done(call: done) }
    }
  }

  @Test("all are asked at once, the first answer of each counts, and who is late counts as nothing")
  func gathering() async throws {
    let late = Client(kept: Client.Kept())
    let driver = LifecycleDriver { Stock.answers(shelves: 1, [Client(count: 20), Client(), late]) }
    try await driver.start()
    let lifecycle = driver.lifecycle
    async let total = lifecycle.ask(Stock.total)
    #expect(await eventually { driver.clock.sleeperCount == 1 && late.kept?.done.withLock { $0 != nil } == true })
    driver.clock.advance(by: .seconds(2))
    #expect(await total == 21)
    late.kept?.done.withLock { $0 }?.call(300)  // changes nothing any more
    #expect(await driver.stop() == 0)

    let nobody = LifecycleDriver {}
    try await nobody.start()
    #expect(await nobody.lifecycle.ask(Stock.total) == 0)
    #expect(await nobody.stop() == 0)
  }

  @Test("the trace says which calls took longest")
  func slowCalls() async throws {
    let clock = ManualClock()
    let slow = ScriptedListener("slow", [.didFinishLaunching: .sleep(for: .seconds(3), on: clock)])
    let driver = LifecycleDriver(clock: clock) {
      ScriptedListener("quick")
      slow
    }
    #expect(slowestCalls(of: driver.lifecycle).isEmpty)
    driver.lifecycle.trace = LifecycleTrace()
    driver.run()
    try await driver.event("slow", .didFinishLaunching)
    await clock.advance(by: .seconds(60), step: .seconds(1)) { driver.lifecycle.state == .foreground }
    let lines = slowestCalls(of: driver.lifecycle)
    #expect(lines.count == 5)
    #expect(lines.first?.hasSuffix(" seconds slow in didFinishLaunching (start)") == true)
    #expect(await driver.stop() == 0)
  }

  @Test("the capabilities follow from the listeners, and the snapshot says how each is")
  func inspection() async throws {
    let driver = LifecycleDriver {
      Group("web") {
        Port(number: 80)
        Metrics().optional()
      }
      Invoices()
    }
    driver.mediator.measuresDurations = true
    #expect(statusPage(of: driver.mediator).first == "web/port 80: waiting")
    #expect(missing([.requests, .reload, .scenes], in: driver.lifecycle) == ["reload", "scenes"])
    try await driver.start()
    #expect(
      statusPage(of: driver.mediator) == [
        "web/port 80: foreground, started in 0.0 seconds",
        "web/Metrics: foreground, optional, started in 0.0 seconds",
        "Invoices: foreground, started in 0.0 seconds",
      ])
    #expect(await driver.stop() == 0)
    #expect(statusPage(of: driver.mediator).allSatisfy { $0.contains(": ended") })
  }

  @Test("a report becomes level, message and metadata for a logger")
  func logEntry() async throws {
    let driver = LifecycleDriver { Database() }
    let reports = driver.lifecycle.reports
    try await driver.start()
    #expect(await driver.stop() == 0)
    var entries: [LogEntry] = []
    for await report in reports { if let entry = LogEntry(report) { entries.append(entry) } }
    #expect(entries.first?.level == "notice")
    #expect(entries.first?.message == "starting")
    let start = try #require(entries.first { $0.message == "didFinishLaunching" })
    #expect(start.level == "debug")
    #expect(start.metadata == ["reason": "start", "serial": "2", "duration": "0.0 seconds"])
    #expect(entries.last?.message == "exit status 0")

    let failure = ListenerFailure(
      listener: "Database", event: .didBecomeActive, isRequired: true, message: "away", errno: 111)
    let entry = try #require(LogEntry(.listenerFailed(failure)))
    #expect(entry.level == "error")
    #expect(entry.metadata == ["listener": "Database", "event": "didBecomeActive", "errno": "111"])
    #expect(LogEntry(.requestEnded(verb: "dance", .unclaimed))?.message == "nobody takes 'dance'")
    #expect(LogEntry(.finished(exitStatus: 70))?.level == "error")
  }
}
