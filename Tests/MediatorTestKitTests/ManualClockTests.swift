import Mediator
import MediatorTestKit
import Testing

@Suite("The manual clock", .timeLimit(.minutes(5)))
struct ManualClockTests {
  @Test("A sleeper wakes when the clock is turned to its time, and not before")
  func wakes() async throws {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(9))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    try await sleeper.value
    #expect(clock.sleeperCount == 0)
  }

  @Test("A moment that has passed needs no turn")
  func past() async throws {
    let clock = ManualClock()
    try await clock.sleep(until: clock.now)
  }

  @Test("A sleeper ends with its task")
  func cancelled() async throws {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    try await clock.waitForSleepers()
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test("A clock that is turned with nobody waiting only goes on")
  func nobody() async throws {
    let clock = ManualClock()
    let before = clock.now
    clock.advance(by: .seconds(10))
    #expect(before.duration(to: clock.now) == .seconds(10))
    #expect(await clock.advance(by: .seconds(1), step: .seconds(1)) { true })
    #expect(before.duration(to: clock.now) == .seconds(10))
    try await clock.sleep(until: before.advanced(by: .seconds(10)))
  }

  @Test("Waiting for a sleeper that does not come is an error, and says how many there are")
  func noSleeper() async {
    let clock = ManualClock()
    do {
      try await clock.waitForSleepers(2, within: .milliseconds(10))
      Issue.record("there are two")
    } catch {
      #expect(error.code == .timedOut)
      #expect(error.message == "0 sleep within 0.01 seconds, not 2")
    }
    let waiting = Task { try await clock.waitForSleepers(within: .seconds(600)) }
    waiting.cancel()
    await #expect(throws: LifecycleError.self) { try await waiting.value }
  }

  @Test("Turned step by step it goes as far as it must, and each sleeper may sleep again")
  func steps() async throws {
    let clock = ManualClock()
    let before = clock.now
    let sleeper = Task {
      for _ in 0..<3 { try await clock.sleep(for: .seconds(2)) }
      return clock.now
    }
    try await clock.waitForSleepers()
    let woke = Shared(false)
    let watcher = Task {
      _ = try await sleeper.value
      woke.withLock { $0 = true }
    }
    #expect(await clock.advance(by: .seconds(60), step: .seconds(1)) { woke.withLock(\.self) })
    try await watcher.value
    let end = try await sleeper.value
    #expect(before.duration(to: end) >= .seconds(6))
    #expect(before.duration(to: clock.now) < .seconds(60))
  }

  @Test("Turning step by step ends with its task")
  func cancelledSteps() async {
    let clock = ManualClock()
    let before = clock.now
    let turning = Task { await clock.advance(by: .seconds(1_000_000), step: .milliseconds(1)) { false } }
    turning.cancel()
    #expect(await turning.value == false)
    #expect(before.duration(to: clock.now) < .seconds(1_000_000))
  }

  @Test("Who sleeps until the same moment wakes in the order of the calls")
  func ties() {
    let clock = ManualClock()
    let woken = Shared<[Int]>([])
    for number in 0..<100 { _ = clock.schedule(after: .seconds(1)) { _ in woken.withLock { $0.append(number) } } }
    clock.advance(by: .seconds(1))
    #expect(woken.withLock(\.self) == Array(0..<100))
  }
}
