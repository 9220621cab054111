import Foundation
import Mediator
import MediatorTestKit
import Testing

/// Synchronous listeners are told on the thread of the post: what one that blocks there leaves to the others.
@Suite("Listeners that are told on the thread of the post", .timeLimit(.minutes(5)))
struct LedListenerTests {
  private final class Blocking: SynchronousListener {
    let log: Log
    let body: @Sendable () -> Void

    init(_ log: Log, _ body: @escaping @Sendable () -> Void) {
      self.log = log
      self.body = body
    }

    func handle(_ transition: LifecycleTransition) throws {
      guard transition.event == .willResignActive else { return }
      log.add("told")
      body()
    }
  }

  @Test("One that blocks keeps no listener of another mediator from its turn")
  func severalMediators() async throws {
    let (log, block, hasBlocked) = (Log(), DispatchSemaphore(value: 0), Shared(false))
    // Whoever comes first: observers are called in any order.
    let body: @Sendable () -> Void = {
      let isFirst = hasBlocked.withLock { hasBlocked in
        defer { hasBlocked = true }
        return !hasBlocked
      }
      if isFirst { block.waitForEver() }
    }
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(call: .seconds(5))) { Blocking(log, body) }
    let others = (0..<2).map { _ in
      LifecycleMediator(center: driver.center, object: driver.lifecycle) { Blocking(log, body) }
    }
    try await driver.start()
    async let paused: Void = driver.pause()
    await log.wait(count: 1)
    let turned = await driver.turn(by: .milliseconds(250)) { driver.lifecycle.state == .background }
    #expect(turned <= .seconds(13))
    #expect(log.lines.count == 3)
    block.signal()
    try await paused
    _ = await driver.stop()
    withExtendedLifetime(others) {}
  }

  @Test("Its time begins when the post has returned, however long a plain observer took")
  func slowObserver() async throws {
    let (log, block, hold) = (Log(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(call: .seconds(10))) {
      Blocking(log) { block.waitForEver() }
    }
    let token = driver.center.addObserver(
      forName: Lifecycle.willResignActiveNotification, object: nil, queue: nil
    ) { _ in
      log.add("observed")
      hold.waitForEver()
    }
    try await driver.start()
    async let paused: Void = driver.pause()
    await log.wait(count: 1)
    for _ in 0..<9 {
      driver.clock.advance(by: .seconds(1))
      await driver.settleLoop()
    }
    hold.signal()
    await log.wait(count: 2)
    for _ in 0..<7 {
      driver.clock.advance(by: .seconds(1))
      await driver.settleLoop()
    }
    block.signal()
    try await paused
    #expect(driver.mediator.snapshot.map(\.state) == [.background])
    #expect(driver.notifyMessages.last == "STATUS=paused")
    #expect(await driver.stop() == 0)
    driver.center.removeObserver(token)
  }
}
