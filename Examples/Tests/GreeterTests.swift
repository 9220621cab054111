/// The greeter's whole life in a test: no signals, no systemd, no process of its own.
import Mediator
import MediatorTestKit
import Testing

@testable import HelloDaemon

@Suite(.timeLimit(.minutes(1)))
struct GreeterTests {
  @Test("a greeting that cannot be read refuses the reload, and the service goes on")
  func badGreeting() async throws {
    let driver = LifecycleDriver { Greeter() }
    try await driver.start()

    let outcome = await driver.reload()  // there is no greeting.txt here

    guard case .failed(let error) = outcome else {
      Issue.record("reloaded: \(outcome)")
      return
    }
    #expect(error.listener == "Greeter")
    #expect(driver.lifecycle.state == .foreground)
    #expect(driver.notifyMessages.last?.contains("READY=1") == true)
    #expect(await driver.stop() == 0)
    #expect(driver.events.last == RecordedEvent("Greeter", .willTerminate, .stop))
  }
}
