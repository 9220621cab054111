/// A listener's life, and all that can go wrong around it: without signals, without systemd, without waiting.
import Foundation
import Mediator
import MediatorTestKit
import Synchronization
import Testing

@testable import Snippets

@Suite(.timeLimit(.minutes(1)))
struct PricesTests {
  private struct Unreadable: Error, LocalizedError {
    let errorDescription: String? = "no such table"
  }

  /// Stands in for the file.
  private final class Source: Sendable {
    let table = Mutex<Prices.Table?>(["tea": 3])
    func read() throws -> Prices.Table {
      guard let table = table.withLock({ $0 }) else { throw Unreadable() }
      return table
    }
  }

  private let source = Source()
  private let priceOfTea = LifecycleRequest("price", payload: Data("tea".utf8))

  @Test("without a table the start fails, and who had started is stopped")
  func failedStart() async {
    source.table.withLock { $0 = nil }
    let driver = LifecycleDriver {
      ScriptedListener("database")
      Prices(read: source.read)
    }

    await #expect(throws: LifecycleError.self) { try await driver.start() }

    #expect(await driver.exitStatus() == 69)
    #expect(driver.notifyMessages.contains { $0.contains("STATUS=start failed: Prices: no such table") })
    #expect(driver.events.names(of: .willTerminate) == ["Prices", "database"])
  }

  @Test("a table that cannot be read refuses the reload, and the old prices stay")
  func refusedReload() async throws {
    let driver = LifecycleDriver { Prices(read: source.read) }
    try await driver.start()
    source.table.withLock { $0 = nil }

    guard case .failed(let error) = await driver.reload() else {
      Issue.record("not refused")
      return
    }

    #expect(error.listener == "Prices")
    #expect(driver.lifecycle.state == .foreground)
    #expect(await driver.send(priceOfTea) == .handled(by: "Prices", Data("3".utf8)))
    #expect(await driver.stop() == 0)
  }

  @Test("when a neighbour refuses the new configuration, the new prices go, too")
  func revertedReload() async throws {
    let driver = LifecycleDriver {
      Prices(read: source.read)
      ScriptedReloadListener("neighbour", [.reload: .fail(Unreadable())])
    }
    try await driver.start()
    source.table.withLock { $0 = ["tea": 4] }

    guard case .failed = await driver.reload() else {
      Issue.record("not refused")
      return
    }

    #expect(
      driver.events.containsInOrder([
        RecordedEvent("Prices", .reload, .reload), RecordedEvent("neighbour", .reload, .reload),
        RecordedEvent("Prices", .revertReload, .reload),
      ]))
    #expect(await driver.send(priceOfTea) == .handled(by: "Prices", Data("3".utf8)))
    #expect(await driver.stop() == 0)
  }

  @Test("a source that does not answer fails the start when its time is over")
  func slowSource() async throws {
    let clock = ManualClock()
    let driver = LifecycleDriver(clock: clock, timeouts: LifecycleTimeouts(start: .seconds(10))) {
      Prices {
        try await clock.sleep(for: .seconds(600))  // throws when it is cancelled
        return [:]
      }
    }
    driver.run()
    try await driver.event("Prices", .didFinishLaunching)

    clock.advance(by: .seconds(10))

    #expect(await driver.exitStatus() == 69)
    #expect(driver.notifyMessages.contains { $0.contains("start failed: Prices: timed out") })
  }

  @Test("a neighbour that never returns is left behind, and the stop goes on")
  func stuckNeighbour() async throws {
    let gate = ScriptedListener.Gate()
    let driver = LifecycleDriver {
      Prices(read: source.read)
      ScriptedListener("neighbour", [.didEnterBackground: .blockThread(until: gate)])
    }
    try await driver.start()
    driver.lifecycle.requestStop()
    try await driver.event("neighbour", .didEnterBackground)

    #expect(
      await driver.clock.advance(by: .seconds(25), step: .seconds(1)) { driver.lifecycle.state == .stopped })

    #expect(await driver.exitStatus() == 75)
    #expect(driver.events.names(of: .willTerminate) == ["Prices"])
    gate.open()  // its thread ends
  }

  @Test("a price is told to whoever asks for it, and other requests are left to others")
  func requests() async throws {
    let driver = LifecycleDriver { Prices(read: source.read) }
    try await driver.start()

    #expect(await driver.send(priceOfTea) == .handled(by: "Prices", Data("3".utf8)))
    #expect(
      await driver.send(LifecycleRequest("price")) == .refused(by: "Prices", "no price for ''"))
    #expect(await driver.send(.reopen) == .unclaimed)
    #expect(await driver.stop() == 0)
  }
}
