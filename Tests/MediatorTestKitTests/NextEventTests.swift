import Mediator
import MediatorTestKit
import Testing

@Suite("Waiting for an event", .timeLimit(.minutes(5)))
struct NextEventTests {
  private func driver(_ names: String...) -> LifecycleDriver {
    LifecycleDriver { for name in names { ScriptedListener(name) } }
  }

  private func fault(_ body: () async throws -> RecordedEvent) async -> LifecycleError? {
    do {
      Issue.record("it came: \(try await body())")
      return nil
    } catch { return error as? LifecycleError }
  }

  @Test("An event that does not come is an error after the time limit, and what came instead is named")
  func late() async throws {
    let driver = driver("a")
    let none = await fault { try await driver.nextEvent(within: .milliseconds(10)) }
    #expect(none?.code == .timedOut)
    try await driver.start()
    try await driver.nextEvent()
    let other = await fault { try await driver.event("b", .didFinishLaunching, within: .zero) }
    #expect(other?.code == .timedOut)
    #expect(other?.message == "b.didFinishLaunching did not come within 0.0 seconds")
    #expect(
      other?.advice == "already awaited, or skipped: a.willFinishLaunching(start); not awaited yet: "
        + "a.didFinishLaunching(start), a.willEnterForeground(start), a.didBecomeActive(start)")
    #expect(await driver.stop() == 0)
  }

  @Test("A wait ends with its task, whether it was cancelled before or after the wait began")
  func cancelled() async {
    let driver = driver("a")
    let waiting = Task { try await driver.nextEvent(within: .seconds(600)) }
    waiting.cancel()
    #expect(await fault { try await waiting.value }?.code == .cancelled)
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await driver.nextEvent(within: .seconds(600))
    }
    late.cancel()
    #expect(await fault { try await late.value }?.code == .cancelled)
  }

  @Test("A wait that was cancelled takes nothing from the next one")
  func afterCancellation() async throws {
    let driver = driver("a")
    let waiting = Task { try await driver.nextEvent(within: .seconds(600)) }
    waiting.cancel()
    _ = await waiting.result
    try await driver.start()
    #expect(try await driver.nextEvent() == RecordedEvent("a", .willFinishLaunching, .start))
    #expect(await driver.stop() == 0)
  }

  @Test("A wait ends with the lifecycle, and what was told before can still be read")
  func ended() async throws {
    let driver = driver("a")
    async let unreachable = fault { try await driver.event("nobody", .willTerminate, within: .seconds(600)) }
    try await driver.start()
    #expect(await driver.stop() == 0)
    #expect(await unreachable?.code == .stateUnreachable)
    try await driver.event("a", .willTerminate)
    #expect(await fault { try await driver.nextEvent(within: .seconds(600)) }?.code == .stateUnreachable)
  }

  @Test("A certain event is awaited over others, which then count as read")
  func certain() async throws {
    let driver = driver("a", "b")
    driver.run()
    #expect(
      try await driver.event("b", .didFinishLaunching) == RecordedEvent("b", .didFinishLaunching, .start))
    #expect(try await driver.nextEvent() == RecordedEvent("a", .willEnterForeground, .start))
    #expect(await fault { try await driver.event("a", .didFinishLaunching, within: .milliseconds(10)) } != nil)
    try await driver.pause()
    try await driver.resume()
    #expect(try await driver.event("a", .didBecomeActive).reason == .start)
    #expect(try await driver.event("a", .didBecomeActive).reason == .pause)
    #expect(await driver.stop() == 0)
  }

  @Test("Several waits get one event each")
  func several() async throws {
    let driver = driver("a", "b")
    let events = try await withThrowingTaskGroup(of: RecordedEvent.self) { group in
      for _ in 0..<4 { group.addTask { try await driver.nextEvent() } }
      driver.run()
      return try await group.reduce(into: Set<RecordedEvent>()) { $0.insert($1) }
    }
    #expect(events == Set(driver.events.prefix(4)))
    #expect(events.count == 4)
    #expect(await driver.stop() == 0)
  }
}
