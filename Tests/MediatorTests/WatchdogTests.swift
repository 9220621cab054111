import Foundation
import Mediator
import MediatorTestKit
import Testing

struct Healthy: HealthChecking {
  let name: String
  let body: @Sendable () async throws -> Void

  init(_ name: String, _ body: @escaping @Sendable () async throws -> Void = {}) {
    self.name = name
    self.body = body
  }

  func checkHealth() async throws { try await body() }
}

@Suite("The watchdog", .timeLimit(.minutes(5)))
struct WatchdogTests {
  typealias Member = HealthMonitor.Member

  /// Turns the clock by one period of an interval of 5 s and waits for its tick.
  ///
  /// - Parameter wedged: how many never answer.
  private func tick(_ driver: LifecycleDriver, _ count: Int = 1, wedged: Int = 0) async {
    for _ in 0..<count {
      // What was asked has been answered, and what was submitted to delivery has been run.
      await driver.settle()
      await eventually { (driver.lifecycle.core.withLock { $0.openChecks }) <= wedged }
      let sleepers = driver.clock.sleeperCount
      driver.clock.advance(by: .seconds(2))
      await eventually { driver.clock.sleeperCount == sleepers }
    }
  }

  @Test("A12: the first ping comes at once after READY, then one each two fifths of the interval, none after STOPPING")
  func pings() async throws {
    let driver = LifecycleDriver(watchdog: .seconds(5)) { Named("a") }
    driver.run()
    try await driver.lifecycle.state(.foreground)
    await eventually { driver.clock.sleeperCount == 1 }
    #expect(driver.watchdogMessages == ["WATCHDOG=1"])
    await tick(driver, 3)
    #expect(driver.watchdogMessages.count == 4)
    #expect(await driver.stop() == 0)
    driver.clock.advance(by: .seconds(60))
    await driver.settle()
    #expect(driver.watchdogMessages.count == 4)
  }

  @Test("A13: when a required listener is wedged, pings stop within one interval and STATUS names it; then they go on")
  func wedged() async throws {
    let gate = Gate()
    let isWedged = Shared(false)
    let driver = LifecycleDriver(watchdog: .seconds(5)) {
      Healthy("good")
      Healthy("loop") { if isWedged.withLock(\.self) { await gate.pass() } }
    }
    try await driver.start()
    await tick(driver, 2)
    #expect(driver.watchdogMessages.count == 3)
    await eventually { (driver.lifecycle.core.withLock { $0.openChecks }) == 0 }
    isWedged.withLock { $0 = true }
    await tick(driver)
    let before = driver.watchdogMessages.count
    await tick(driver, wedged: 1)
    #expect(driver.watchdogMessages.count == before, "no ping two periods after the last answer")
    #expect(driver.notifyMessages.last == "STATUS=unhealthy: loop: its health check does not answer")
    isWedged.withLock { $0 = false }
    await gate.open()
    await tick(driver, 2)
    #expect(driver.watchdogMessages.count > before)
    #expect(driver.notifyMessages.last == "STATUS=running")
    #expect(await driver.stop() == 0)
  }

  @Test("An optional listener that is unwell degrades the service, and the pings go on")
  func optional() async throws {
    let driver = LifecycleDriver(watchdog: .seconds(5)) {
      Healthy("cache") { throw Trouble("cold") }.optional()
    }
    try await driver.start()
    await tick(driver, 3)
    #expect(driver.watchdogMessages.count == 4)
    #expect(driver.notifyMessages.last == "STATUS=degraded: cache: cold")
    #expect(await driver.lifecycle.checkHealth().map(\.summary) == ["cache: cold"])
    #expect(await driver.stop() == 0)
  }

  @Test("With the policy to trigger, the manager is told once to act at once")
  func trigger() async throws {
    let driver = LifecycleDriver(watchdog: .seconds(5), watchdogPolicy: .trigger) {
      Healthy("db") { throw Trouble("gone") }
    }
    try await driver.start()
    await tick(driver, 3)
    #expect(driver.watchdogMessages == ["WATCHDOG=1", "WATCHDOG=trigger"])
    #expect(await driver.stop() == 0)
  }

  @Test("A post that blocks delivery, and is no transition with a limit of its own, ends the pings")
  func blockedDelivery() async throws {
    struct Blocker: SynchronousListener {
      let isOn: Shared<Bool>
      let semaphore: DispatchSemaphore
      func handle(_ transition: LifecycleTransition) throws {
        if isOn.withLock(\.self) { block(on: semaphore) }
      }
    }
    let (isOn, semaphore) = (Shared(false), DispatchSemaphore(value: 0))
    let driver = LifecycleDriver(watchdog: .seconds(5)) { Blocker(isOn: isOn, semaphore: semaphore) }
    try await driver.start()
    isOn.withLock { $0 = true }
    driver.center.post(name: Lifecycle.didBecomeActiveNotification, object: driver.lifecycle)
    for _ in 0..<2 {
      driver.clock.advance(by: .seconds(2))
      await eventually { driver.clock.sleeperCount == 1 }
    }
    let before = driver.watchdogMessages.count
    driver.clock.advance(by: .seconds(2))
    await eventually { driver.clock.sleeperCount == 1 }
    #expect(driver.watchdogMessages.count == before)
    #expect(driver.notifyMessages.last?.hasPrefix("STATUS=unhealthy: delivery: ") == true)
    isOn.withLock { $0 = false }
    semaphore.signal()
    await tick(driver, 2)
    #expect(driver.watchdogMessages.count > before)
    #expect(await driver.stop() == 0)
  }

  @Test("While a reload is inside its own time, delivery counts as turning")
  func longReload() async throws {
    let (log, gate) = (Log(), Gate())
    let driver = LifecycleDriver(watchdog: .seconds(5)) {
      Reloading("r", log: log) { if $0 == .prepareReload { await gate.pass() } }
    }
    try await driver.start()
    async let outcome = driver.reload()
    await log.wait(count: 1)
    for _ in 0..<5 {
      // The reload's limit, the next request to wait and the next tick.
      await eventually { driver.clock.sleeperCount == 3 }
      let before = driver.watchdogMessages.count
      driver.clock.advance(by: .seconds(2))
      #expect(await eventually { driver.watchdogMessages.count == before + 1 })
    }
    await gate.open()
    _ = await outcome
    #expect(await driver.stop() == 0)
  }

  @Test("Without a watchdog and without health checks, nothing ticks; with checks alone, every ten seconds")
  func idle() async throws {
    let none = LifecycleDriver { Named("a") }
    try await none.start()
    await none.settle()
    #expect(none.clock.sleeperCount == 0)
    #expect(await none.stop() == 0)
    let checked = LifecycleDriver { Healthy("db") { throw Trouble("gone") } }
    try await checked.start()
    await checked.settle()
    await eventually { (checked.lifecycle.core.withLock { $0.openChecks }) == 0 }
    checked.clock.advance(by: .seconds(10))
    #expect(await eventually { checked.notifyMessages.last == "STATUS=unhealthy: db: gone" })
    #expect(checked.watchdogMessages.isEmpty)
    #expect(await checked.stop() == 0)
  }

  @Test("When the last whose health is checked is gone, nothing ticks any more; one that comes later is checked")
  func comesAndGoes() async throws {
    var timeouts = LifecycleTimeouts()
    // Or there would be the one timer that looks at calls.
    timeouts.call = nil
    let driver = LifecycleDriver(timeouts: timeouts) { Named("a") }
    try await driver.start()
    let token = try await driver.mediator.add(Healthy("db").required())
    #expect(await eventually { driver.clock.sleeperCount == 1 })
    await driver.mediator.remove(token)
    driver.clock.advance(by: .seconds(10))
    #expect(await eventually { driver.clock.sleeperCount == 0 })
    _ = try await driver.mediator.add(Healthy("db") { throw Trouble("gone") }.required())
    // Asked at the first tick after it has come; what it answers is looked at one tick later.
    for _ in 0..<10 where driver.notifyMessages.last != "STATUS=unhealthy: db: gone" {
      await eventually { driver.clock.sleeperCount == 1 }
      await driver.settle()
      await eventually { (driver.lifecycle.core.withLock { $0.openChecks }) == 0 }
      driver.clock.advance(by: .seconds(10))
      await driver.settleLoop()
    }
    #expect(await eventually { driver.notifyMessages.last == "STATUS=unhealthy: db: gone" })
    #expect(await driver.stop() == 0)
  }

  @Test("Who is unwell is reported once, also when another becomes so")
  func reportedOnce() async throws {
    let driver = LifecycleDriver(watchdog: .seconds(5)) {
      Healthy("a") { throw Trouble("gone") }
      Healthy("b") { throw Trouble("cold") }.optional()
    }
    let reports = driver.lifecycle.reports
    try await driver.start()
    await tick(driver, 2)
    _ = try await driver.mediator.add(Healthy("c") { throw Trouble("new") }.required())
    await tick(driver, 3)
    #expect(await driver.stop() == 0)
    var unwell: [String] = []
    for await report in reports { if case .unwell(let failure) = report { unwell.append(failure.summary) } }
    #expect(unwell.sorted() == ["a: gone", "b: cold", "c: new"])
  }

  @Test("The monitor: who is late by its patience is unwell until it answers")
  func patience() {
    var monitor = HealthMonitor(pings: true)
    let slow = Member(id: 1, name: "slow", isRequired: true, patience: 3)
    #expect(monitor.tick([slow], isTurning: true) == [.ping, .ask(slow)])
    #expect(monitor.tick([slow], isTurning: true) == [.ping])
    #expect(monitor.tick([slow], isTurning: true) == [.ping])
    let late = ListenerFailure(
      listener: "slow", event: .didBecomeActive, isRequired: true, message: "its health check does not answer")
    #expect(monitor.tick([slow], isTurning: true) == [.report([late])])
    #expect(monitor.tick([slow], isTurning: true) == [])
    let answer = monitor.answered(1, nil)
    #expect(answer == [.report([])], "told at once")
    #expect(monitor.tick([slow], isTurning: true) == [.ping, .ask(slow)])
    // Gone while it was late: it is nobody's trouble any more.
    _ = monitor.tick([slow], isTurning: true)
    _ = monitor.tick([slow], isTurning: true)
    #expect(monitor.tick([slow], isTurning: true) == [.report([late])])
    #expect(monitor.tick([], isTurning: true) == [.report([]), .ping])
    let stray = monitor.answered(1, late)
    #expect(stray == [] && monitor.tick([], isTurning: true) == [.ping])
  }

  @Test("The monitor: a verdict that changes is told at once, the ping and the next question come with the tick")
  func atOnce() {
    var monitor = HealthMonitor(pings: true, triggers: true)
    let (db, web) = (Member(id: 1, name: "db", isRequired: true), Member(id: 2, name: "web", isRequired: false))
    _ = monitor.tick([db, web], isTurning: true)
    let gone = ListenerFailure(listener: "db", event: .didBecomeActive, isRequired: true, message: "gone")
    let cold = ListenerFailure(listener: "web", event: .didBecomeActive, isRequired: false, message: "cold")
    var told = [monitor.answered(2, cold), monitor.answered(1, gone)]
    #expect(told == [[.report([cold])], [.report([gone, cold]), .trigger]])
    #expect(monitor.tick([db, web], isTurning: true) == [.ask(db), .ask(web)])
    told = [monitor.answered(2, cold), monitor.ask(1), monitor.answered(1, gone), monitor.ask(2), monitor.ask(3)]
    #expect(told == [[], [], [.ask(db)], [.ask(web)], []], "asked again where something changed meanwhile")
    told = [monitor.answered(1, nil), monitor.answered(2, nil)]
    #expect(told == [[.report([cold])], [.report([])]])
    #expect(monitor.tick([db, web], isTurning: true) == [.ping, .ask(db), .ask(web)])
  }
}
