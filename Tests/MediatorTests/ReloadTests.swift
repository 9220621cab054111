import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("A reload is a transaction", .timeLimit(.minutes(5)))
struct ReloadTests {
  @Test("Two phases: all prepare in the foreground, then the commit in the background, then the foreground again")
  func twoPhases() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("n", log: log)
      Reloading("a", log: log)
      Reloading("b", log: log)
    }
    try await driver.start()
    _ = log.take()
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    let expected = [
      "a.prepareReload", "b.prepareReload", "n.willResignActive", "n.didEnterBackground", "a.reload", "b.reload",
      "n.willEnterForeground", "n.didBecomeActive",
    ]
    #expect(log.take() == expected)
    #expect(
      driver.notifyMessages == [
        "STATUS=starting", "STATUS=running\nREADY=1", "RELOADING=1\nMONOTONIC_USEC=0\nSTATUS=reloading",
        "STATUS=running\nREADY=1",
      ])
    #expect(driver.lifecycle.generation == 2)
    #expect(await driver.stop() == 0)
  }

  @Test("A01, A18: a refused reload leaves all as it was, READY says why, ERRNO is taken back with the next success")
  func refused() async throws {
    let log = Log()
    let isBad = Shared(true)
    let driver = LifecycleDriver {
      Reloading("a", log: log)
      Reloading("b", log: log) { event in
        if event == .prepareReload, isBad.withLock(\.self) { throw POSIXError(.EADDRINUSE) }
      }
      Reloading("c", log: log)
    }
    try await driver.start()
    guard case .failed(let error) = await driver.reload() else {
      Issue.record("not refused")
      return
    }
    #expect(error.listener == "b")
    #expect(error.errno == EADDRINUSE)
    #expect(log.take() == ["a.prepareReload", "b.prepareReload"], "nobody after the one that refuses is asked")
    #expect(driver.lifecycle.generation == 1)
    #expect(driver.notifyMessages.last?.hasPrefix("STATUS=reload failed: b: ") == true)
    #expect(driver.notifyMessages.last?.hasSuffix("\nERRNO=\(EADDRINUSE)\nREADY=1") == true)
    isBad.withLock { $0 = false }
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    #expect(driver.notifyMessages.last == "STATUS=running\nERRNO=0\nREADY=1")
    #expect(await driver.reload() == .reloaded(generation: 3, .zero))
    #expect(driver.notifyMessages.last == "STATUS=running\nREADY=1")
    #expect(await driver.stop() == 0, "a refused reload is no failure of the service")
  }

  @Test("D15: the second of three fails its commit: the first reverts, the generation stays")
  func reverted() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Reloading("a", log: log)
      Reloading("b", log: log, failing: [.reload])
      Reloading("c", log: log)
    }
    try await driver.start()
    guard case .failed(let error) = await driver.reload() else {
      Issue.record("not failed")
      return
    }
    #expect(error.listener == "b")
    let expected = ["a.prepareReload", "b.prepareReload", "c.prepareReload", "a.reload", "b.reload", "a.revertReload"]
    #expect(log.take() == expected)
    #expect(driver.lifecycle.generation == 1)
    #expect(driver.lifecycle.state == .foreground)
    #expect(await driver.stop() == 0)
  }

  @Test("Those already done revert in reverse order")
  func revertInReverse() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Reloading("a", log: log)
      Reloading("b", log: log)
      Reloading("c", log: log, failing: [.reload])
    }
    try await driver.start()
    _ = await driver.reload()
    #expect(log.take().suffix(3) == ["c.reload", "b.revertReload", "a.revertReload"])
    _ = await driver.stop()
  }

  @Test("An optional listener that refuses is left out, the others reload, and the status says degraded")
  func optional() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Reloading("a", log: log, failing: [.prepareReload]).optional()
      Reloading("b", log: log)
    }
    try await driver.start()
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    #expect(log.take() == ["a.prepareReload", "b.prepareReload", "b.reload"])
    #expect(driver.notifyMessages.last?.hasPrefix("STATUS=degraded: a: ") == true)
    #expect(await driver.stop() == 0)
  }

  @Test("Requests during a reload share one more, and no more than one")
  func coalesced() async throws {
    let gate = Gate()
    let log = Log()
    let driver = LifecycleDriver {
      Reloading("a", log: log) { event in if event == .prepareReload { await gate.pass() } }
    }
    try await driver.start()
    async let first = driver.reload()
    await log.wait(count: 1)
    async let second = driver.reload()
    async let third = driver.reload()
    driver.submit(.reload(.embedder))
    await eventually { driver.lifecycle.core.withLock { $0.machine.waitingTickets == 2 } }
    await gate.open()
    #expect(await first == .reloaded(generation: 2, .zero))
    #expect(await second == .reloaded(generation: 3, .zero))
    #expect(await third == .reloaded(generation: 3, .zero))
    #expect(log.take().count == 4)
    #expect(await driver.stop() == 0)
  }

  @Test("A reload that is asked for during the start follows READY")
  func duringStart() async throws {
    let log = Log()
    let gate = Gate()
    let driver = LifecycleDriver {
      Named("n") { transition in if transition.event == .didFinishLaunching { await gate.pass() } }
      Reloading("a", log: log)
    }
    driver.run()
    async let outcome = driver.reload()
    await eventually { driver.lifecycle.core.withLock { $0.machine.waitingTickets == 1 } }
    #expect(log.lines == [])
    await gate.open()
    #expect(await outcome == .reloaded(generation: 2, .zero))
    let reloading = driver.notifyMessages.firstIndex { $0.contains("RELOADING") }
    let ready = driver.notifyMessages.firstIndex { $0.contains("READY=1") }
    #expect(try #require(ready) < #require(reloading))
    #expect(await driver.stop() == 0)
  }

  @Test("A20: with no listener that reloads a request is answered at once, in one datagram with READY last")
  func nothingToReload() async throws {
    let driver = LifecycleDriver { Named("n") }
    try await driver.start()
    #expect(await driver.reload() == .reloaded(generation: 1, .zero))
    #expect(driver.notifyMessages.last == "RELOADING=1\nMONOTONIC_USEC=0\nSTATUS=nothing to reload\nREADY=1")
    #expect(await driver.stop() == 0)
  }

  @Test("B14: a reload while paused stays in the background, and READY is still sent")
  func whilePaused() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("n", log: log)
      Reloading("a", log: log)
    }
    try await driver.start()
    try await driver.pause()
    _ = log.take()
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    #expect(log.take() == ["a.prepareReload", "a.reload"])
    #expect(driver.lifecycle.state == .background)
    #expect(driver.notifyMessages.last == "STATUS=paused\nREADY=1")
    try await driver.resume()
    #expect(log.take() == ["n.willEnterForeground", "n.didBecomeActive"])
    #expect(driver.notifyMessages.last == "STATUS=running", "no READY on resume")
    #expect(await driver.stop() == 0)
  }

  @Test("B13: a stop inside prepareReload changes nothing, and whoever asked is told")
  func stopInPrepare() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Reloading("a", log: log)
      Reloading("b", log: log) { event in if event == .prepareReload { try await Task.sleep(for: .seconds(60)) } }
    }
    try await driver.start()
    async let outcome = driver.reload()
    await log.wait(count: 2)
    #expect(await driver.stop() == 0)
    #expect(await outcome == .droppedByStop)
    #expect(log.take() == ["a.prepareReload", "b.prepareReload"])
    #expect(driver.notifyMessages.last == "STOPPING=1\nSTATUS=stopping")
  }

  @Test(
    "B13: a stop inside the second of three commits reverts the first, and the second too if it returned",
    arguments: [true, false])
  func stopInCommit(returns: Bool) async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Reloading("a", log: log)
      Reloading("b", log: log) { event in
        guard event == .reload else { return }
        let slept: Void? = try? await Task.sleep(for: .seconds(60))
        if slept == nil, !returns { throw CancellationError() }
      }
      Reloading("c", log: log)
    }
    try await driver.start()
    async let outcome = driver.reload()
    await eventually { log.lines.last == "b.reload" }
    #expect(await driver.stop() == 0)
    #expect(await outcome == .droppedByStop)
    let reverted = log.take().filter { $0.hasSuffix("revertReload") || $0 == "c.reload" }
    #expect(reverted == (returns ? ["b.revertReload", "a.revertReload"] : ["a.revertReload"]))
    #expect(driver.notifyMessages.filter { $0.contains("READY=1") }.count == 1)
    #expect(driver.notifyMessages.last == "STOPPING=1\nSTATUS=stopping")
    #expect(driver.lifecycle.generation == 1)
  }

  @Test("A reload after the stop is dropped, and says so")
  func afterStop() async throws {
    let driver = LifecycleDriver { Reloading("a", log: Log()) }
    try await driver.start()
    #expect(await driver.stop() == 0)
    #expect(await driver.reload() == .droppedByStop)
  }
}

/// Holds whoever passes until it is opened.
actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func pass() async {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func close() { isOpen = false }
}
