import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("Listeners come and go while running", .timeLimit(.minutes(5)))
struct MembershipTests {
  @Test("A newcomer is brought to the state that the others are in", arguments: [false, true])
  func newcomer(isPaused: Bool) async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    if isPaused { try await driver.pause() }
    try await driver.mediator.add(ListenerEntry(Named("b", log: log)))
    let started = ["b.willFinishLaunching", "b.didFinishLaunching"]
    #expect(log.take() == started + (isPaused ? [] : ["b.willEnterForeground", "b.didBecomeActive"]))
    #expect(await driver.stop() == 0)
    #expect(log.take() == (isPaused ? [] : ["b.willResignActive", "b.didEnterBackground"]) + ["b.willTerminate"])
  }

  @Test("A newcomer stands where it was put")
  func place() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log)
      Named("c", log: log)
    }
    try await driver.start()
    let ofC = try #require(driver.mediator.tokens.last)
    try await driver.mediator.add(ListenerEntry(Named("b", log: log)), before: ofC)
    _ = log.take()
    #expect(await driver.stop() == 0)
    #expect(log.take().suffix(3) == ["c.willTerminate", "b.willTerminate", "a.willTerminate"])
  }

  @Test("A newcomer whose start fails is told willTerminate, and is no member")
  func failingNewcomer() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    let error = await #expect(throws: LifecycleError.self) {
      try await driver.mediator.add(ListenerEntry(Named("b", log: log, failing: [.didFinishLaunching])))
    }
    #expect(error?.listener == "b")
    #expect(log.take() == ["b.willFinishLaunching", "b.didFinishLaunching", "b.willTerminate"])
    #expect(await driver.stop() == 0)
    #expect(log.take() == [])
  }

  @Test("Who is removed gets its own stop, once, and nothing afterwards")
  func removed() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a")
      Named("b", log: log)
    }
    try await driver.start()
    _ = log.take()
    let ofB = try #require(driver.mediator.tokens.last)
    await driver.mediator.remove(ofB)
    await driver.mediator.remove(ofB)
    #expect(log.take() == ["b.willResignActive", "b.didEnterBackground", "b.willTerminate"])
    #expect(await driver.stop() == 0)
    #expect(log.take() == [])
  }

  @Test("D10: removed inside another listener's callback of the same post, it is not called any more in that post")
  func removedInPost() async throws {
    let log = Log()
    let box = Shared<(@Sendable () async -> Void)?>(nil)
    let driver = LifecycleDriver {
      Named("a") { if $0.event == .willEnterForeground, $0.reason == .pause { await box.withLock(\.self)?() } }
      Named("b", log: log)
    }
    try await driver.start()
    let ofB = try #require(driver.mediator.tokens.last)
    let mediator = driver.mediator
    box.withLock { $0 = { await mediator.remove(ofB) } }
    try await driver.pause()
    _ = log.take()
    try await driver.resume()
    #expect(log.take() == ["b.willTerminate"])
    #expect(await driver.stop() == 0)
  }

  @Test("F15: a listener adds another and removes itself inside its callback: no deadlock, and both happen")
  func insideCallback() async throws {
    let log = Log()
    let box = Shared<(@Sendable () async throws -> Void)?>(nil)
    let driver = LifecycleDriver {
      Named("a", log: log) { if $0.event == .didEnterBackground { try await box.withLock(\.self)?() } }
    }
    try await driver.start()
    let ofA = try #require(driver.mediator.tokens.first)
    let mediator = driver.mediator
    box.withLock {
      $0 = {
        try await mediator.add(ListenerEntry(Named("b", log: log)))
        await mediator.remove(ofA)
      }
    }
    try await driver.pause()
    await eventually { log.lines.last == "a.willTerminate" }
    let expected = [
      "a.willResignActive", "a.didEnterBackground", "b.willFinishLaunching", "b.didFinishLaunching", "a.willTerminate",
    ]
    #expect(log.take().suffix(5) == expected)
    try await driver.resume()
    #expect(await driver.stop() == 0)
    #expect(log.take().first == "b.willEnterForeground")
  }

  @Test("What was mended makes the service degraded no more; others do")
  func mended() async throws {
    let driver = LifecycleDriver {
      Named("a", failing: [.didFinishLaunching]).optional()
      Named("b", failing: [.didFinishLaunching]).optional()
    }
    try await driver.start()
    driver.lifecycle.mended(["b", "c"])
    await driver.settle()
    #expect(driver.notifyMessages.last == "STATUS=degraded: a: didFinishLaunching went wrong")
    driver.lifecycle.mended(["a"])
    #expect(await eventually { driver.notifyMessages.last == "STATUS=running" })
    #expect(await driver.stop() == 0)
  }

  @Test("A required newcomer whose start fails inside a callback makes the service degraded, and the exit status 70")
  func failingInsideCallback() async throws {
    let box = Shared<LifecycleMediator?>(nil)
    let driver = LifecycleDriver {
      Named("a") { transition in
        guard transition.event == .didEnterBackground, transition.reason == .pause else { return }
        try await box.withLock { $0 }?.add(ListenerEntry(Named("b", failing: [.didFinishLaunching])))
      }
    }
    try await driver.start()
    box.withLock { $0 = driver.mediator }
    try await driver.pause()
    let isDegraded = await eventually {
      driver.notifyMessages.last == "STATUS=paused, degraded: b: didFinishLaunching went wrong"
    }
    #expect(isDegraded)
    #expect(await driver.stop() == 70)
    box.withLock { $0 = nil }
  }

  @Test("A mediator that comes after a refused reload starts its listeners")
  func lateAfterRefusal() async throws {
    let log = Log()
    let driver = LifecycleDriver { Reloading("r", log: Log(), failing: [.prepareReload]) }
    try await driver.start()
    _ = await driver.reload()
    let late = LifecycleMediator(center: driver.center, object: driver.lifecycle) { Named("late", log: log) }
    await log.wait(count: 4)
    #expect(log.lines.last == "late.didBecomeActive")
    #expect(await driver.stop() == 0)
    withExtendedLifetime(late) {}
  }

  @Test("A mediator that comes late brings its listeners to where the lifecycle is")
  func lateMediator() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    let late = LifecycleMediator(center: driver.center, object: driver.lifecycle) { Named("late", log: log) }
    await log.wait(count: 4)
    #expect(log.take().last == "late.didBecomeActive")
    #expect(await driver.stop() == 0)
    #expect(log.take().last == "late.willTerminate")
    withExtendedLifetime(late) {}
  }

  @Test("A mediator that is released tells nobody any more, and no longer counts towards the reload")
  func released() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    var late: LifecycleMediator? = LifecycleMediator(center: driver.center, object: driver.lifecycle) {
      Reloading("late", log: log)
    }
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    #expect(late != nil)
    late = nil
    await eventually { !driver.lifecycle.hasReloadListeners }
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    #expect(log.take() == ["late.prepareReload", "late.reload"])
    #expect(await driver.stop() == 0)
  }

  @Test("A stop does not wait for the start of a newcomer")
  func stopDuringStartOfNewcomer() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    let adding = Task {
      try await driver.mediator.add(
        ListenerEntry(
          Named("b", log: log) { if $0.event == .didFinishLaunching { try await Task.sleep(for: .seconds(60)) } }))
    }
    await eventually { log.lines.last == "b.didFinishLaunching" }
    #expect(await driver.stop() == 0)
    await #expect(throws: LifecycleError.self) { try await adding.value }
    #expect(log.take() == ["b.willFinishLaunching", "b.didFinishLaunching", "b.willTerminate"])
  }

  @Test("Nobody can be added to a lifecycle that stops")
  func tooLate() async throws {
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    #expect(await driver.stop() == 0)
    await #expect(throws: LifecycleError.self) { try await driver.mediator.add(ListenerEntry(Named("b"))) }
  }

  @Test("Adding and removing from eight tasks while events are posted loses and doubles nobody")
  func underLoad() async throws {
    let driver = LifecycleDriver { Reloading("r", log: Log()) }
    try await driver.start()
    let logs = (0..<8).map { _ in Log() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for log in logs {
        group.addTask {
          for round in 0..<25 {
            let entry = round % 2 == 0 ? ListenerEntry(Named("\(round)", log: log)) : Self.group(round, log)
            let token = try await driver.mediator.add(entry)
            await driver.mediator.remove(token)
          }
        }
      }
      group.addTask { for _ in 0..<50 { _ = await driver.reload() } }
      group.addTask {
        for _ in 0..<200 { driver.center.post(name: Lifecycle.didBecomeActiveNotification, object: driver.lifecycle) }
      }
      group.addTask { for _ in 0..<50 { await driver.warn(of: MemoryPressure(level: .some)) } }
      try await group.waitForAll()
    }
    for log in logs {
      let starts = log.lines.filter { $0.hasSuffix("didFinishLaunching") }.count
      let stops = log.lines.filter { $0.hasSuffix("willTerminate") }.count
      #expect(starts == 25 && stops == 25)
    }
    #expect(await driver.stop() == 0)
  }

  /// One that is told without a suspension, and one that is told on a thread of its own.
  private static func group(_ round: Int, _ log: Log) -> ListenerEntry {
    Group("\(round)") {
      Concurrently { Named("\(round)", log: log) }
      ListenerModelTests.Quick(name: "quick", log: Log())
      Probe(log: Log())
    }
  }
}
