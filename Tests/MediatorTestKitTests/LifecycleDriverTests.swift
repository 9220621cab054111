import Mediator
import MediatorTestKit
import Testing

@Suite("The driver of the test kit", .timeLimit(.minutes(5)))
struct LifecycleDriverTests {
  private struct Quiet: LifecycleListener { let name = "quiet" }

  @Test("The next event is awaited, in order, also before it has happened")
  func nextEvent() async throws {
    let driver = LifecycleDriver { Quiet() }
    async let first = driver.nextEvent()
    driver.run()
    #expect(try await first == RecordedEvent("quiet", .willFinishLaunching, .start))
    #expect(try await driver.nextEvent() == RecordedEvent("quiet", .didFinishLaunching, .start))
    try await driver.lifecycle.state(.foreground)
    #expect(await driver.stop() == 0)
    #expect(driver.events.last == RecordedEvent("quiet", .willTerminate, .stop))
  }

  @Test("Durations are the manual clock's")
  func durations() async throws {
    let driver = LifecycleDriver { Reloader() }
    try await driver.start()
    let clock = driver.clock
    Reloader.turn.withLock { $0 = clock }
    #expect(await driver.reload() == .reloaded(generation: 2, .seconds(3)))
    #expect(await driver.stop() == 0)
  }

  private struct Reloader: ReloadListener {
    static let turn = Shared<ManualClock?>(nil)
    func prepareReload(_ transition: LifecycleTransition) async throws {}
    func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws {
      Self.turn.withLock { $0 }?.advance(by: .seconds(3))
    }
    func revertReload(_ transition: LifecycleTransition) async throws {}
  }
}
