/// A start that takes too long, in a test that does not wait: it turns the clock.
import Mediator
import MediatorTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SlowStartTests {
  private struct Database: LifecycleListener {
    func didFinishLaunching(_ transition: LifecycleTransition) async throws {
      try await Task.sleep(for: .seconds(600))  // throws when it is cancelled
    }
  }

  @Test("a database that does not answer fails the start when its time is over, and STATUS names it")
  func slow() async {
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(start: .seconds(10))) { Database() }
    driver.run()
    #expect(await driver.nextEvent() == RecordedEvent("Database", .willFinishLaunching, .start))
    #expect(await driver.nextEvent() == RecordedEvent("Database", .didFinishLaunching, .start))

    driver.clock.advance(by: .seconds(10))

    #expect(await driver.exitStatus() == 69)
    #expect(driver.notifyMessages.last?.contains("start failed: Database") == true)
  }
}
