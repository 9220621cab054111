import Dispatch
import Foundation
import MediatorTestKit
import Testing

@testable import Mediator

/// Told in one function; does what it is told to do with what.
private final class Leading: SynchronousListener {
  let name: String
  private let body: @Sendable (LifecycleTransition) throws -> Void

  init(_ name: String, _ body: @escaping @Sendable (LifecycleTransition) throws -> Void) {
    self.name = name
    self.body = body
  }

  func handle(_ transition: LifecycleTransition) throws { try body(transition) }
}

@Suite("Synchronous listeners are told without a task", .timeLimit(.minutes(5)))
struct LeadingTests {
  private struct Trouble: Error {}

  private func post(_ center: NotificationCenter) {
    center.post(name: Lifecycle.didBecomeActiveNotification, object: nil)
  }

  @Test("Somebody else's post: inside it, on its thread, up to the first that needs a task; who throws holds up nobody")
  func foreignPost() async {
    let (center, log) = (NotificationCenter(), Log())
    let mediator = LifecycleMediator(center: center) {
      Leading("a") { _ in log.add("a on \(pthread_self())") }
      Leading("b") { _ in
        log.add("b")
        throw Trouble()
      }.optional()
      Leading("c") { _ in log.add("c") }
      Named("d", log: log)
      Leading("e") { _ in log.add("e") }
    }
    // Synchronously, so that the thread stays the same.
    let (thread, seen): (pthread_t, [String]) = {
      post(center)
      return (pthread_self(), log.lines)
    }()
    #expect(seen.prefix(3) == ["a on \(thread)", "b", "c"])
    await log.wait(count: 5)
    #expect(log.lines.dropFirst() == ["b", "c", "d.didBecomeActive", "e"])
    withExtendedLifetime(mediator) {}
  }

  @Test("A post from inside a call comes after it, and so do those of other threads: never two calls at once")
  func manyPosts() async {
    let (center, log) = (NotificationCenter(), Log())
    let (inside, count) = (Shared(0), Shared(0))
    let mediator = LifecycleMediator(center: center) {
      Leading("a") { _ in
        let others = inside.withLock { inside in
          inside += 1
          return inside - 1
        }
        if others > 0 { log.add("two at once") }
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number % 10 == 1, number < 1000 { center.post(name: Lifecycle.didBecomeActiveNotification, object: nil) }
        inside.withLock { $0 -= 1 }
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<5_000 { center.post(name: Lifecycle.didBecomeActiveNotification, object: nil) } }
      }
    }
    await eventually { count.withLock(\.self) >= 20_100 }
    #expect(log.lines.isEmpty)
    withExtendedLifetime(mediator) {}
  }

  @Test(
    "One that blocks is left behind when the time of the stop is over, and the next is told", arguments: [false, true])
  func blocks(isFirst: Bool) async throws {
    let (log, gate) = (Log(), DispatchSemaphore(value: 0))
    let blocking = Leading("blocking") { transition in
      if transition.event == .didEnterBackground { gate.wait() }
    }
    // A stop tells them in reverse.
    let driver = LifecycleDriver {
      Leading("other") { log.add("other.\($0.event.rawValue)") }
      blocking
      if !isFirst { Named("before", log: log) }
    }
    defer { gate.signal() }
    try await driver.start()
    async let status = driver.stop()
    _ = await driver.turn { log.lines.contains("other.willTerminate") }
    #expect(await status == 75)
    #expect(log.lines.contains("other.didEnterBackground"))
    #expect(driver.mediator.snapshot.map(\.state).contains(.stuck))
  }

  @Test("The block of an observer does not return: listeners that would have led are told all the same")
  func observerBlocks() async throws {
    let (log, gate, center) = (Log(), DispatchSemaphore(value: 0), NotificationCenter())
    let driver = LifecycleDriver(center: center) { Leading("a") { log.add($0.event.rawValue) } }
    let token = center.addObserver(forName: Lifecycle.didEnterBackgroundNotification, object: nil, queue: nil) { _ in
      gate.wait()
    }
    defer {
      gate.signal()
      center.removeObserver(token)
    }
    try await driver.start()
    async let status = driver.stop()
    _ = await driver.turn { log.lines.contains("willTerminate") }
    _ = await status
    #expect(log.lines.suffix(2) == ["didEnterBackground", "willTerminate"])
  }

  @Test("Beyond the limit of one call a listener that blocks is left behind, also the one that leads")
  func callLimit() async throws {
    let (log, gate) = (Log(), DispatchSemaphore(value: 0))
    let driver = LifecycleDriver {
      Leading("other") { log.add($0.event.rawValue) }
      Leading("blocking") { if $0.event == .didEnterBackground, $0.reason == .pause { gate.wait() } }
    }
    defer { gate.signal() }
    try await driver.start()
    async let pause: Void = driver.pause()
    let turned = await driver.turn(by: .seconds(1)) { log.lines.last == "didEnterBackground" }
    #expect(turned >= .seconds(30) && turned <= .seconds(65))
    try await pause
    #expect(driver.mediator.snapshot.last?.state == .stuck)
    #expect(await driver.stop() != 0)
  }

  @Test("Who is being told may be asked at any moment")
  func progress() async throws {
    let driver = LifecycleDriver { for name in ["a", "b", "c"] { Leading(name) { _ in } } }
    try await driver.start()
    let isOver = Shared(false)
    let asking = Task.detached {
      while !isOver.withLock(\.self) { _ = driver.lifecycle.progress }
    }
    for _ in 0..<300 {
      try await driver.pause()
      try await driver.resume()
    }
    isOver.withLock { $0 = true }
    await asking.value
    #expect(await driver.stop() == 0)
  }
}
