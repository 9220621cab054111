import Mediator
import MediatorTestKit
import Testing

private struct Cache: MemoryPressureListener {
  let name: String
  func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws {}
}

private struct Calendar: TimeChangeListener {
  func significantTimeChange(_ transition: LifecycleTransition) async throws {}
}

private struct Sleeper: SleepListener {}

@Suite("Which sources of events are needed", .timeLimit(.minutes(5)))
struct NeedsTests {
  @Test("a source is needed from the foreground to the stop, and only when a listener has its ability")
  func life() async throws {
    let driver = LifecycleDriver {
      Named("a")
      Calendar()
    }
    driver.run()
    try await driver.lifecycle.state(.foreground)
    await driver.settleLoop()
    #expect(driver.neededCapabilities == [[.timeChange]])
    #expect(await driver.stop() == 0)
    #expect(driver.neededCapabilities == [[.timeChange], []])
  }

  @Test("a source is needed from the first listener that is added to the last that is removed")
  func members() async throws {
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    let first = try await driver.mediator.add(Cache(name: "b").required())
    let second = try await driver.mediator.add(Cache(name: "c").required())
    await driver.mediator.remove(first)
    await driver.settleLoop()
    #expect(driver.neededCapabilities == [[.memoryPressure]])
    await driver.mediator.remove(second)
    await driver.settleLoop()
    #expect(driver.neededCapabilities == [[.memoryPressure], []])
  }

  @Test("a listener that declares SleepListener needs it, and goes to sleep and comes back with all others")
  func sleep() async throws {
    let driver = LifecycleDriver { Sleeper() }
    try await driver.start()
    try await driver.sleep()
    #expect(driver.lifecycle.state == .background)
    #expect(driver.events.last == RecordedEvent("Sleeper", .didEnterBackground, .sleep))
    try await driver.pause()
    try await driver.wake()
    #expect(driver.lifecycle.state == .background)
    try await driver.resume()
    #expect(driver.events.last == RecordedEvent("Sleeper", .didBecomeActive, .sleep))
    #expect(driver.neededCapabilities == [[.sleep]])
  }

  @Test("a reload and a pause close no source")
  func reload() async throws {
    let driver = LifecycleDriver { Cache(name: "a") }
    try await driver.start()
    _ = await driver.reload()
    try await driver.pause()
    try await driver.resume()
    #expect(driver.neededCapabilities == [[.memoryPressure]])
  }
}
