import Foundation
import MediatorTestKit
import Testing

@testable import Mediator

/// What one that does not return leaves to the others, and what is still said of it.
@Suite("Who stands in front, and who was left behind", .timeLimit(.minutes(5)))
struct LeftBehindTests {
  private static let timeouts = LifecycleTimeouts(start: .seconds(10), reload: .seconds(8))
  private static let term = LifecycleInput.stop(
    .signal(number: SignalNumber(15), senderPID: 1, senderUID: 0, value: nil))

  // MARK: What stands in front

  @Test("A listener that blocks its thread in a signal keeps nobody from the stop, and is named")
  func blockedInFront() async throws {
    let block = DispatchSemaphore(value: 0)
    struct Blocking: SignalListener {
      let name = "blocking"
      let signals: Set<SignalNumber> = [SignalNumber(40)]
      let block: DispatchSemaphore
      let log: Log
      func didReceiveSignal(_ transition: LifecycleTransition) async throws {
        log.add("blocks")
        block.waitForEver()
      }
    }
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(9))) {
      Named("a", log: log)
      Blocking(block: block, log: log)
    }
    try await driver.start()
    driver.submit(.signal(.signal(number: SignalNumber(40), senderPID: 1, senderUID: 0, value: nil)))
    await eventually { log.lines.last == "blocks" }
    driver.submit(Self.term)
    await driver.settleLoop()
    let turned = await driver.turn(by: .milliseconds(250)) { driver.lifecycle.state == .stopped }
    #expect(turned <= .milliseconds(9_500))
    #expect(log.lines.last == "a.willTerminate")
    let messages = driver.notifyMessages
    #expect(messages.last?.contains("blocking: timed out in didReceiveSignal") == true, "\(messages)")
    #expect(await driver.exitStatus() == 70)
    block.signal()
  }

  @Test("A listener that blocks its thread in somebody else's post keeps no reload from its end")
  func blockedInForeignPost() async throws {
    let (block, log) = (DispatchSemaphore(value: 0), Log())
    let driver = LifecycleDriver(timeouts: Self.timeouts) {
      Reloading("r", log: log)
      Named("b", log: log) { if $0.origin == .foreignPost { block.waitForEver() } }
    }
    try await driver.start()
    driver.center.post(name: Lifecycle.didEnterBackgroundNotification, object: driver.lifecycle)
    await eventually { log.lines.last == "b.didEnterBackground" }
    let outcome = Task { await driver.reload() }
    await eventually { driver.lifecycle.state == .reloading }
    _ = await driver.turn(by: .milliseconds(250)) { driver.lifecycle.state == .foreground }
    await driver.settleLoop()
    #expect(driver.notifyMessages.last?.hasSuffix("READY=1") == true)
    if case .droppedByStop = await outcome.value { Issue.record("dropped") }
    block.signal()
    #expect(await driver.stop() == 0)
  }

  // MARK: Who was left behind

  @Test("Without a limit of the whole a listener has all the time that it needs")
  func noLimit() async throws {
    let (log, gate) = (Log(), Gate())
    let none = LifecycleTimeouts(start: nil, reload: nil, stop: nil, call: .seconds(5))
    let driver = LifecycleDriver(timeouts: none) {
      Reloading("r", log: log) { if $0 == .reload { await gate.pass() } }
      Named("a", log: log) {
        if $0.event == .didFinishLaunching || $0.event == .willTerminate { await gate.pass() }
      }
    }
    driver.run()
    for event in ["a.didFinishLaunching", "r.reload", "a.willTerminate"] {
      await eventually { log.lines.last == event }
      await driver.settleLoop()
      for _ in 0..<5 {
        driver.clock.advance(by: .seconds(60))
        await driver.settleLoop()
      }
      #expect(log.lines.last == event, "nobody is passed over")
      await gate.open()
      await gate.close()
      if event == "a.didFinishLaunching" {
        try await driver.lifecycle.state(.foreground)
        driver.lifecycle.requestReload()
      } else if event == "r.reload" {
        await eventually { driver.lifecycle.generation == 2 && driver.lifecycle.state == .foreground }
        driver.lifecycle.requestStop()
      }
    }
    #expect(await driver.exitStatus() == 0)
  }

  @Test("A required health check that was left behind feeds no watchdog any more")
  func lostHealth() {
    var monitor = HealthMonitor(pings: true)
    let well = HealthMonitor.Member(id: 1, name: "db", isRequired: true)
    #expect(monitor.tick([well], isTurning: true) == [.ping, .ask(well)])
    var lost = well
    lost.isLost = true
    let effects = monitor.tick([lost], isTurning: true)
    #expect(!effects.contains(.ping) && !effects.contains(.ask(lost)))
    guard case .report(let failures)? = effects.first else { return #expect(Bool(false), "nothing is reported") }
    #expect(failures.map(\.listener) == ["db"])
    lost.isRequired = false
    #expect(monitor.tick([lost], isTurning: true).contains(.ping))
  }

  @Test("The reason of a failed reload stays in STATUS, whatever else is said, until one succeeds")
  func failedReloadStays() async throws {
    let log = Log()
    let fails = Shared(true)
    let driver = LifecycleDriver {
      Reloading("r", log: log) {
        if $0 == .prepareReload, fails.withLock(\.self) { throw Trouble("bad file") }
      }
    }
    try await driver.start()
    _ = await driver.reload()
    driver.submit(.status("3 connections"))
    await driver.settleLoop()
    #expect(driver.notifyMessages.last?.contains("reload failed: r: bad file") == true)
    fails.withLock { $0 = false }
    _ = await driver.reload()
    #expect(driver.notifyMessages.last?.contains("STATUS=3 connections") == true)
    #expect(await driver.stop() == 0)
  }
}
