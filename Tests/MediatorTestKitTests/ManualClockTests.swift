import Mediator
import MediatorTestKit
import Testing

@Suite("The manual clock", .timeLimit(.minutes(1)))
struct ManualClockTests {
  @Test("A sleeper wakes when the clock is turned to its time, and not before")
  func wakes() async throws {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    while clock.sleeperCount == 0 { await Task.yield() }
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
  func cancelled() async {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    while clock.sleeperCount == 0 { await Task.yield() }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleeperCount == 0)
  }
}
