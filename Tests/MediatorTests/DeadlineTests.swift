import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("Whatever listeners do, everything ends in its time", .timeLimit(.minutes(5)))
struct DeadlineTests {
  @Test("A start that hangs has failed at its deadline: the culprit is named, what began is undone, exit 69")
  func start() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(start: .seconds(10))) {
      Named("a", log: log)
      Named("b", log: log) { if $0.event == .didFinishLaunching { await hang() } }
      Named("c", log: log)
    }
    driver.run()
    await eventually { log.lines.last == "b.didFinishLaunching" }
    let turned = await driver.turn { driver.lifecycle.state == .stopped }
    #expect(turned >= .seconds(10) && turned <= .seconds(12))
    #expect(await driver.exitStatus() == 69)
    #expect(
      driver.notifyMessages.last
        == "STOPPING=1\nSTATUS=start failed: b: timed out in didFinishLaunching\nERRNO=\(ETIMEDOUT)")
    #expect(log.take().last == "a.willTerminate", "the one that hangs is never called again")
  }

  @Test("A listener that ends when its time is over is undone like every other")
  func obedient() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(start: .seconds(10))) {
      Named("a", log: log) { if $0.event == .didFinishLaunching { try await Task.sleep(for: .seconds(600)) } }
    }
    driver.run()
    await eventually { log.lines.last == "a.didFinishLaunching" }
    driver.clock.advance(by: .seconds(10))
    #expect(await eventually { log.lines.last == "a.willTerminate" })
    #expect(await driver.exitStatus() == 69)
  }

  @Test("A listener's own time limit counts, and an optional one that exceeds it only degrades")
  func ownLimit() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("slow", log: log) { if $0.event == .didFinishLaunching { await hang() } }.optional(timeout: .seconds(3))
      Named("b")
    }
    driver.run()
    await eventually { log.lines.last == "slow.didFinishLaunching" }
    let turned = await driver.turn { driver.lifecycle.state == .foreground }
    #expect(turned >= .seconds(3) && turned <= .seconds(5))
    #expect(driver.notifyMessages.last == "STATUS=degraded: slow: timed out in didFinishLaunching\nREADY=1")
    #expect(await driver.stop() == 0)
  }

  @Test("A reload that hangs ends at its deadline as a failure, and READY says so", arguments: [true, false])
  func reload(inPrepare: Bool) async throws {
    let log = Log()
    let event: LifecycleEvent = inPrepare ? .prepareReload : .reload
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(reload: .seconds(5))) {
      Reloading("a", log: log)
      Reloading("b", log: log) { if $0 == event { await hang() } }
    }
    try await driver.start()
    let outcome = Task { await driver.reload() }
    await eventually { log.lines.last == "b.\(event.rawValue)" }
    _ = await driver.turn { driver.lifecycle.state == .foreground }
    guard case .failed(let error) = await outcome.value else {
      Issue.record("not failed")
      return
    }
    #expect(error.listener == "b")
    #expect(log.lines.last == (inPrepare ? "b.prepareReload" : "a.revertReload"))
    #expect(driver.notifyMessages.last?.hasPrefix("STATUS=reload failed: b: timed out") == true)
    #expect(driver.notifyMessages.last?.hasSuffix("READY=1") == true)
    #expect(await driver.stop() == 0)
  }

  @Test("D16: a listener that blocks its thread for ever in a stop is passed over; the others stop; exit 75")
  func blocked() async throws {
    let log = Log()
    let block = DispatchSemaphore(value: 0)
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(10))) {
      Named("a", log: log)
      Named("b", log: log) { if $0.event == .didEnterBackground { block.waitForEver() } }
      Named("c", log: log)
    }
    try await driver.start()
    _ = log.take()
    let status = Task { await driver.stop() }
    await eventually { log.lines.last == "b.didEnterBackground" }
    #expect(driver.notifyMessages.last == "STOPPING=1\nSTATUS=stopping")
    let turned = await driver.turn { driver.lifecycle.state == .stopped }
    #expect(turned <= .seconds(10))
    #expect(await status.value == 75)
    let told = log.take()
    #expect(told.contains("a.didEnterBackground") && told.suffix(2) == ["c.willTerminate", "a.willTerminate"])
    #expect(
      driver.notifyMessages.last == "STATUS=stopped, with a failure: b: timed out in didEnterBackground\nERRNO=110")
    block.signal()
  }

  @Test("A stop ends in its time though every listener hangs")
  func allHang() async throws {
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(10))) {
      for index in 0..<5 { Named("\(index)") { if $0.reason == .stop { await hang() } } }
    }
    try await driver.start()
    let status = Task { await driver.stop() }
    await eventually { driver.lifecycle.state == .stopping }
    let turned = await driver.turn { driver.lifecycle.state == .stopped }
    #expect(turned <= .seconds(11))
    #expect(await status.value == 75)
  }

  @Test("B04: the first signal drains, the second hastens, the third ends the process at once")
  func signals() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log) { if $0.event == .didEnterBackground { try await Task.sleep(for: .seconds(600)) } }
      Named("b", log: log) { if $0.event == .willTerminate { await hang() } }
    }
    try await driver.start()
    let signal = LifecycleInput.stop(
      .signal(number: SignalNumber(SIGTERM), senderPID: 1, senderUID: 0, value: nil))
    driver.submit(signal)
    await eventually { log.lines.last == "a.didEnterBackground" }
    driver.submit(signal)
    await eventually { log.lines.last == "b.willTerminate" }
    #expect(driver.forcedExitStatus == nil)
    driver.submit(signal)
    await eventually { driver.forcedExitStatus != nil }
    #expect(driver.forcedExitStatus == 128 + SIGTERM)
    #expect(driver.notifyMessages.filter { $0.contains("STOPPING=1") }.count == 1)
  }

  @Test("B04: after a second signal all that is left has five seconds, and those behind one that hangs are told")
  func hastened() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(600))) {
      Named("first", log: log)
      Named("a", log: log) { if $0.event == .willTerminate { await hang() } }
    }
    try await driver.start()
    let signal = LifecycleInput.stop(
      .signal(number: SignalNumber(SIGTERM), senderPID: 1, senderUID: 0, value: nil))
    driver.submit(signal)
    await eventually { log.lines.last == "a.willTerminate" }
    driver.submit(signal)
    await eventually { driver.notifyMessages.last?.contains("hastened") == true }
    let turned = await driver.turn { driver.lifecycle.state == .stopped }
    #expect(turned >= .seconds(3) && turned <= .seconds(6))
    #expect(log.lines.last == "first.willTerminate")
    #expect(await driver.exitStatus() == 75)
  }

  @Test("A08, A15: the manager is asked to wait at once and every two seconds, less near our own deadline, never 0")
  func extensions() async throws {
    let (gate, log) = (Gate(), Log())
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(start: .seconds(10))) {
      Named("database", log: log) { if $0.event == .didFinishLaunching { await gate.pass() } }
    }
    driver.run()
    await eventually { driver.clock.sleeperCount == 2 && log.lines.last == "database.didFinishLaunching" }
    for count in 2...5 {
      driver.clock.advance(by: .seconds(2))
      await eventually { driver.extensionMessages.count == count && driver.clock.sleeperCount == 2 }
    }
    let expected = [5_000_000, 5_000_000, 5_000_000, 5_000_000, 3_000_000]
    let asked = driver.extensionMessages.map { message in
      message.split(separator: "\n").last?.split(separator: "=").last.flatMap { Int($0) }
    }
    #expect(asked == expected)
    #expect(driver.extensionMessages.last?.hasPrefix("STATUS=starting 1/1: database\n") == true)
    await gate.open()
    try await driver.lifecycle.state(.foreground)
    driver.clock.advance(by: .seconds(20))
    #expect(driver.extensionMessages.count == 5, "nobody is asked to wait for a service that is ready")
    #expect(await driver.stop() == 0)
  }

  @Test("A deferral that is not kept is told so, and left behind when the time is over")
  func deferral() async throws {
    let center = NotificationCenter()
    let isTold = Shared(false)
    let kept = Shared<LifecycleDeferral?>(nil)
    let observing = Observing(center, .didFinishLaunching) { transition in
      let deferral = transition.takeDeferral("cache")
      deferral?.whenAbandoned { isTold.withLock { $0 = true } }
      kept.withLock { $0 = deferral }
    }
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(start: .seconds(5)), center: center) { Named("a") }
    driver.run()
    await eventually { kept.withLock { $0 != nil } && driver.events.last?.event == .didFinishLaunching }
    // The post and the listener have returned: only the deferral is open.
    await driver.settle()
    driver.clock.advance(by: .seconds(5))
    await eventually { driver.lifecycle.state == .foreground }
    // It is told elsewhere than where the time is kept.
    #expect(await eventually { isTold.withLock { $0 } })
    #expect(driver.notifyMessages.last == "STATUS=degraded: cache: timed out in didFinishLaunching\nREADY=1")
    #expect(await driver.stop() == 0)
    withExtendedLifetime(observing) {}
  }

  @Test("A plain observer whose block never returns does not hold up the stop")
  func blockedObserver() async throws {
    let center = NotificationCenter()
    let block = DispatchSemaphore(value: 0)
    let observing = Observing(center, .willTerminate) { _ in block.waitForEver() }
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(5)), center: center) { Named("a") }
    try await driver.start()
    let status = Task { await driver.stop() }
    await eventually { driver.lifecycle.state == .stopping }
    let turned = await driver.turn { driver.lifecycle.state == .stopped }
    #expect(turned <= .seconds(6))
    #expect(await status.value == 0, "an observer is no required listener")
    #expect(driver.events.contains { $0.listener == "a" && $0.event == .willTerminate })
    block.signal()
    withExtendedLifetime(observing) {}
  }

  @Test("Observers whose blocks never return, wherever they stand, keep no listener from its start; the start fails")
  func blockedObservers() async throws {
    // NotificationCenter calls in any order: some of so many come before the mediator's own observer.
    for _ in 0..<8 {
      let center = NotificationCenter()
      let block = DispatchSemaphore(value: 0)
      let observing = Observing(center, .didFinishLaunching) { _ in block.waitForEver() }
      let driver = LifecycleDriver(timeouts: LifecycleTimeouts(start: .seconds(5)), center: center) { Named("a") }
      driver.run()
      await eventually { driver.events.contains { $0.event == .willFinishLaunching } }
      await driver.settleLoop()
      _ = await driver.turn { driver.lifecycle.state == .stopped || driver.lifecycle.state == .foreground }
      let started = driver.events.contains { $0.listener == "a" && $0.event == .didFinishLaunching }
      #expect((driver.lifecycle.state == .foreground) == started, "READY only when everybody has started")
      block.signal()
      _ = await driver.stop()
      withExtendedLifetime(observing) {}
    }
  }
}

extension DispatchSemaphore {
  /// Holds the thread, as a listener should not.
  func waitForEver() { wait() }
}
