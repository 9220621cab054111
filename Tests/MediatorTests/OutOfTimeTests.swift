import MediatorTestKit
import Testing

@testable import Mediator

/// What the matrix of faults has found, each as small as it gets.
@Suite("When the time of a whole is over", .timeLimit(.minutes(1)))
struct OutOfTimeTests {
  private static let timeouts = LifecycleTimeouts(start: .seconds(10), reload: .seconds(8))

  /// Turns the clock whenever so many have been told, until the condition holds.
  private func turn(_ driver: LifecycleDriver, until condition: () -> Bool) async {
    while !condition(), await eventually({ condition() || driver.clock.sleeperCount > 0 }) {
      await driver.settleLoop()
      if condition() { return }
      _ = driver.clock.advanceToNext()
      await driver.settleLoop()
    }
  }

  /// Lets the listener reach its callback, turns the clock until it is left behind, and returns.
  private func leaveBehind(_ name: String, _ driver: LifecycleDriver, _ log: Log, in event: LifecycleEvent) async {
    await eventually { log.lines.last == "\(name).\(event.rawValue)" }
    await turn(driver) {
      driver.mediator.state.withLock(\.list).all.contains { $0.name == name && $0.isStuck }
    }
  }

  @Test("An optional listener that uses up the start while others have not started fails it: no READY, exit 69")
  func start() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: Self.timeouts) {
      Named("a", log: log) { if $0.event == .didFinishLaunching { await hang() } }.optional()
      Named("b", log: log)
    }
    driver.run()
    await leaveBehind("a", driver, log, in: .didFinishLaunching)
    #expect(await driver.exitStatus() == 69)
    #expect(log.lines == ["a.willFinishLaunching", "b.willFinishLaunching", "a.didFinishLaunching"])
    #expect(
      driver.notifyMessages.last
        == "STOPPING=1\nSTATUS=start failed: a: timed out in didFinishLaunching\nERRNO=110")
  }

  @Test("What follows an optional listener that used up the start has a limit, too")
  func secondLimit() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: Self.timeouts) {
      Named("b", log: log) { if $0.event == .didBecomeActive { await hang() } }
      Named("a", log: log) { if $0.event == .didFinishLaunching { await hang() } }.optional()
    }
    driver.run()
    await leaveBehind("a", driver, log, in: .didFinishLaunching)
    await leaveBehind("b", driver, log, in: .didBecomeActive)
    #expect(await driver.exitStatus() == 69)
  }

  @Test("An optional listener that uses up the reload before all have prepared fails it: the old generation stays")
  func prepare() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: Self.timeouts) {
      Reloading("a", log: log) { if $0 == .prepareReload { await hang() } }.optional()
      Reloading("b", log: log)
    }
    try await driver.start()
    let outcome = Task { await driver.reload() }
    await leaveBehind("a", driver, log, in: .prepareReload)
    guard case .failed(let error) = await outcome.value else { throw Trouble("not failed") }
    #expect(error.listener == "a" && driver.lifecycle.generation == 1)
    #expect(log.lines == ["a.prepareReload"])
    #expect(await driver.stop() == 0)
  }
}
