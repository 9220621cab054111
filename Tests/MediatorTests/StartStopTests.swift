import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("Start, pause and stop", .timeLimit(.minutes(5)))
struct StartStopTests {
  @Test("D02: a required listener that fails its start fails it all; what began is undone in reverse; exit 69")
  func failedStart() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log)
      Named("b", log: log) { if $0.event == .didFinishLaunching { throw POSIXError(.EADDRINUSE) } }
      Named("c", log: log)
    }
    await #expect(throws: LifecycleError.self) { try await driver.start() }
    #expect(await driver.exitStatus() == 69)
    let told = log.take().filter { !$0.hasSuffix("willFinishLaunching") }
    #expect(told == ["a.didFinishLaunching", "b.didFinishLaunching", "b.willTerminate", "a.willTerminate"])
    let last = try #require(driver.notifyMessages.last)
    #expect(last.hasPrefix("STOPPING=1\nSTATUS=start failed: b: "))
    #expect(last.hasSuffix("ERRNO=\(EADDRINUSE)"))
    #expect(!driver.notifyMessages.contains { $0.contains("READY=1") })
  }

  @Test("D02: with that listener optional the start succeeds, degraded, and its willTerminate still comes")
  func degradedStart() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log)
      Named("b", log: log, failing: [.didFinishLaunching]).optional()
    }
    try await driver.start()
    #expect(driver.notifyMessages.last == "STATUS=degraded: b: didFinishLaunching went wrong\nREADY=1")
    #expect(await driver.stop() == 0)
    let ofB = log.take().filter { $0.hasPrefix("b.") }
    #expect(ofB == ["b.willFinishLaunching", "b.didFinishLaunching", "b.willTerminate"])
  }

  @Test("willFinishLaunching asks everybody, without a short cut, and undoes nothing")
  func validation() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log, failing: [.willFinishLaunching])
      Named("b", log: log, failing: [.willFinishLaunching])
    }
    await #expect(throws: LifecycleError.self) { try await driver.start() }
    #expect(await driver.exitStatus() == 69)
    #expect(log.take() == ["a.willFinishLaunching", "b.willFinishLaunching"])
  }

  @Test("A failure in didBecomeActive of the start sends those in the foreground to the background first")
  func failedForeground() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log)
      Named("b", log: log, failing: [.didBecomeActive])
    }
    await #expect(throws: LifecycleError.self) { try await driver.start() }
    #expect(await driver.exitStatus() == 69)
    let expected = [
      "b.didBecomeActive", "b.willResignActive", "a.willResignActive", "b.didEnterBackground", "a.didEnterBackground",
      "b.willTerminate", "a.willTerminate",
    ]
    #expect(log.take().suffix(7) == expected)
  }

  @Test("B02: a stop during the start cancels who is starting, starts nobody else, undoes in reverse, exits 0")
  func stopDuringStart() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log)
      Named("b", log: log) {
        if $0.event == .didFinishLaunching { try await Task.sleep(for: .seconds(60)) }
      }
      Named("c", log: log)
    }
    driver.run()
    await eventually { log.lines.last == "b.didFinishLaunching" }
    #expect(await driver.stop() == 0)
    let told = log.take().filter { !$0.hasSuffix("willFinishLaunching") }
    #expect(told == ["a.didFinishLaunching", "b.didFinishLaunching", "b.willTerminate", "a.willTerminate"])
    #expect(driver.notifyMessages == ["STATUS=starting", "STOPPING=1\nSTATUS=stopping"])
  }

  @Test("A stop before the run is not lost: the run ends at once, and nobody is told anything")
  func stopBeforeRun() async {
    let log = Log()
    let driver = LifecycleDriver { Named("a", log: log) }
    driver.lifecycle.requestStop()
    driver.run()
    #expect(await driver.exitStatus() == 0)
    #expect(log.take() == [])
    #expect(driver.notifyMessages == ["STOPPING=1\nSTATUS=stopping"])
  }

  @Test("B03: a listener that throws while running does not end the service; the order is kept, the exit is 70")
  func failureWhileRunning() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log)
      Named("b", log: log, failing: [.didEnterBackground])
      Named("c", log: log)
    }
    try await driver.start()
    try await driver.pause()
    #expect(driver.notifyMessages.last == "STATUS=paused, degraded: b: didEnterBackground went wrong")
    try await driver.resume()
    _ = log.take()
    #expect(await driver.stop() == 70)
    let expected = ["willResignActive", "didEnterBackground", "willTerminate"].flatMap { event in
      ["c", "b", "a"].map { "\($0).\(event)" }
    }
    #expect(log.take() == expected)
  }

  @Test("A stop goes on through every error; the exit status is 70, and STATUS names the first required one")
  func errorsWhileStopping() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log, failing: [.willTerminate])
      Named("b", log: log, failing: [.willTerminate]).optional()
      Named("c", log: log)
    }
    try await driver.start()
    #expect(await driver.stop() == 70)
    #expect(log.take().suffix(3) == ["c.willTerminate", "b.willTerminate", "a.willTerminate"])
    #expect(driver.notifyMessages.last == "STATUS=stopped, with a failure: a: willTerminate went wrong")
  }

  @Test("An optional listener's error while stopping leaves the exit status 0")
  func optionalErrorWhileStopping() async throws {
    let driver = LifecycleDriver { Named("a", failing: [.willTerminate]).optional() }
    try await driver.start()
    #expect(await driver.stop() == 0)
  }

  @Test("B14: a stop while paused goes straight to willTerminate")
  func stopWhilePaused() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a", log: log) }
    try await driver.start()
    try await driver.pause()
    _ = log.take()
    #expect(await driver.stop() == 0)
    #expect(log.take() == ["a.willTerminate"])
  }

  @Test("B14: paused by two causes and resumed by one, the service stays paused")
  func twoCauses() async throws {
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    driver.submit(.pause(.operator, .embedder))
    try await driver.pause()
    try await driver.resume()
    #expect(driver.lifecycle.state == .background)
    driver.submit(.resume(.operator, .embedder))
    try await driver.lifecycle.state(.foreground)
    #expect(await driver.stop() == 0)
  }

  @Test("Pause and resume during the start are remembered, the last one wins, and are done after READY")
  func pauseDuringStart() async throws {
    let gate = Gate()
    let driver = LifecycleDriver {
      Named("a") { if $0.event == .didFinishLaunching { await gate.pass() } }
    }
    driver.run()
    driver.submit(.pause(.operator, .embedder))
    driver.submit(.resume(.operator, .embedder))
    driver.submit(.pause(.operator, .embedder))
    await gate.open()
    try await driver.lifecycle.state(.background)
    let messages = driver.notifyMessages
    #expect(messages == ["STATUS=starting", "STATUS=running\nREADY=1", "STATUS=paused"])
    #expect(await driver.stop() == 0)
  }

  @Test("B05: reload and stop in the same moment: it stops, and READY is not said again")
  func reloadThenStop() async throws {
    let driver = LifecycleDriver { Reloading("a", log: Log()) }
    try await driver.start()
    driver.submit(.reload(.embedder))
    #expect(await driver.stop() == 0)
    let messages = driver.notifyMessages
    let stopping = try #require(messages.firstIndex { $0.hasPrefix("STOPPING=1") })
    #expect(!messages[stopping...].contains { $0.contains("READY=1") })
  }

  @Test("B12: everybody who asks for a stop gets the one result")
  func manyStops() async throws {
    let driver = LifecycleDriver { Named("a", failing: [.willTerminate]) }
    try await driver.start()
    let results = await withTaskGroup(of: Int32.self) { group in
      for _ in 0..<20 { group.addTask { await driver.stop() } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results == Array(repeating: 70, count: 20))
    #expect(await driver.stop() == 70)
    #expect(driver.notifyMessages.filter { $0.contains("STOPPING=1") }.count == 1)
  }

  @Test("Waiting for a state: reached at once, in time, or an error when it cannot come any more")
  func waiting() async throws {
    let driver = LifecycleDriver { Named("a") }
    async let foreground: Void = driver.lifecycle.state(.foreground)
    driver.run()
    try await foreground
    try await driver.lifecycle.state(.foreground)
    let never = Task { try await driver.lifecycle.state(.background) }
    #expect(await driver.stop() == 0)
    await #expect(throws: LifecycleError.self) { try await never.value }
    await #expect(throws: LifecycleError.self) { try await driver.lifecycle.state(.foreground) }
    try await driver.lifecycle.state(.stopped)
  }

  @Test("A wait ends with its task, and the lifecycle goes on")
  func cancelledWait() async throws {
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    let wait = Task { try await driver.lifecycle.state(.background) }
    wait.cancel()
    await #expect(throws: LifecycleError.self) { try await wait.value }
    #expect(driver.lifecycle.state == .foreground)
    #expect(await driver.stop() == 0)
  }

  @Test("Reports tell what happened, also to a reader that came late, and end with the lifecycle")
  func reports() async throws {
    let driver = LifecycleDriver { Named("a", failing: [.didBecomeActive]).optional() }
    try await driver.start()
    let reports = driver.lifecycle.reports
    #expect(await driver.stop() == 0)
    var began: [LifecycleEvent] = []
    var failures: [String] = []
    var status: Int32?
    for await report in reports {
      switch report {
      case .eventBegan(let event, _, _, _): began.append(event)
      case .listenerFailed(let failure): failures.append(failure.listener)
      case .finished(let exitStatus): status = exitStatus
      default: break
      }
    }
    #expect(began.first == .willFinishLaunching)
    #expect(began.last == .willTerminate)
    #expect(failures == ["a"])
    #expect(status == 0)
  }
}
