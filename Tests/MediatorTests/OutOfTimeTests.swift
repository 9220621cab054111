import MediatorTestKit
import Testing

@testable import Mediator

/// What the matrix of faults has found, each as small as it gets.
@Suite("When the time of a whole is over", .timeLimit(.minutes(5)))
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

  @Test(
    "Nobody is left in the background by a reload that ran out of time",
    arguments: [
      LifecycleEvent.willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive,
    ])
  func wayBack(event: LifecycleEvent) async throws {
    let log = Log()
    let isReversed = event == .willResignActive || event == .didEnterBackground
    let culprit = Named(isReversed ? "z" : "a", log: log) { transition in
      if transition.event == event, transition.reason == .reload { await hang() }
    }
    let driver = LifecycleDriver(timeouts: Self.timeouts) {
      if !isReversed { culprit }
      Reloading("r", log: Log())
      Named("m", log: log)
      if isReversed { culprit }
    }
    try await driver.start()
    let outcome = Task { await driver.reload() }
    await leaveBehind(culprit.name, driver, log, in: event)
    _ = await outcome.value
    #expect(driver.events.last { $0.listener == "m" }?.event == .didBecomeActive)
    #expect(driver.lifecycle.state == .foreground)
    #expect(await driver.stop() == 70)
  }

  @Test("A listener that never returns from revertReload leaves the others theirs")
  func revert() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: Self.timeouts) {
      Reloading("a", log: log)
      Reloading("b", log: log) { if $0 == .revertReload { await hang() } }
      Reloading("c", log: log, failing: [.reload])
    }
    try await driver.start()
    let outcome = Task { await driver.reload() }
    await leaveBehind("b", driver, log, in: .revertReload)
    guard case .failed(let error) = await outcome.value else { throw Trouble("not failed") }
    #expect(error.listener == "c")
    #expect(log.lines.suffix(2) == ["b.revertReload", "a.revertReload"])
    #expect(await driver.stop() == 70)
  }

  @Test("STATUS says at once that a listener has failed with a signal")
  func signal() async throws {
    struct Failing: SignalListener {
      let name = "failing"
      let signals: Set<SignalNumber> = [SignalNumber(40)]
      func didReceiveSignal(_ transition: LifecycleTransition) async throws { throw Trouble("no") }
    }
    let driver = LifecycleDriver { Failing().optional() }
    try await driver.start()
    await driver.signal(SignalNumber(40))
    await driver.settleLoop()
    #expect(driver.notifyMessages.last == "STATUS=degraded: failing: no")
    #expect(await driver.stop() == 0)
  }

  // MARK: The very end

  private static let term = LifecycleInput.stop(
    .signal(number: SignalNumber(15), senderPID: 1, senderUID: 0, value: nil))

  @Test("Who is being told when the last of the time is over is named, required or not", arguments: [true, false])
  func lastIsNamed(isRequired: Bool) async throws {
    let log = Log()
    let hanging = Named("last", log: log) { if $0.event == .willTerminate { await hang() } }
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(4))) {
      if isRequired { hanging } else { hanging.optional() }
      Named("first", log: log) { if $0.event == .willTerminate { await hang() } }.optional()
    }
    try await driver.start()
    driver.submit(Self.term)
    await driver.settleLoop()
    let turned = await driver.turn(by: .milliseconds(250)) { driver.lifecycle.state == .stopped }
    #expect(turned <= .milliseconds(4_500), "with steps of 250 ms")
    #expect(log.lines.last == "last.willTerminate")
    #expect(await driver.exitStatus() == 75)
    #expect(
      driver.notifyMessages.last
        == "STATUS=stopped, with a failure: last: timed out in willTerminate\nERRNO=110")
  }

  @Test("A second signal never gives a stop more time than it has left", arguments: [1, 3, 6])
  func hastenedLate(after seconds: Int) async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(8))) {
      Named("last", log: log) { if $0.event == .willTerminate { await hang() } }
    }
    try await driver.start()
    driver.submit(Self.term)
    await eventually { log.lines.last == "last.willTerminate" }
    driver.clock.advance(by: .seconds(seconds))
    driver.submit(Self.term)
    #expect(await eventually { driver.notifyMessages.last?.contains("hastened") == true })
    let turned = await driver.turn(by: .milliseconds(250)) { driver.lifecycle.state == .stopped }
    #expect(turned <= .seconds(min(5, 8 - seconds)) + .milliseconds(500), "with steps of 250 ms")
    #expect(await driver.exitStatus() == 75)
    #expect(driver.notifyMessages.last?.contains("last: timed out in willTerminate") == true)
  }

  @Test("A start that is stopped and does not return names who held it up")
  func abandonedStart() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(8))) {
      Named("deaf", log: log) { if $0.event == .didFinishLaunching { await hang() } }
    }
    driver.run()
    await eventually { log.lines.last == "deaf.didFinishLaunching" }
    driver.submit(Self.term)
    let turned = await driver.turn(by: .milliseconds(250)) { driver.lifecycle.state == .stopped }
    #expect(turned <= .milliseconds(8_500), "with steps of 250 ms")
    #expect(await driver.exitStatus() == 75)
    #expect(driver.notifyMessages.last?.contains("deaf: timed out in didFinishLaunching") == true)
  }
}
