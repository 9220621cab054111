public import Mediator

/// A clock that stands still until a test turns it.
public final class ManualClock: Clock {
  public typealias Instant = ContinuousClock.Instant

  private struct Sleeper: Sendable {
    var deadline: Instant
    var resume: @Sendable (Bool) -> Void
  }

  private struct State: Sendable {
    var now = ContinuousClock.now
    var sleepers: [UInt64: Sleeper] = [:]
    var cancelledEarly: Set<UInt64> = []
    var nextSleeper: UInt64 = 0
  }

  private let state = Locked(State())

  /// Makes a clock that stands at the present moment.
  public init() {}

  public var now: Instant { state.withLock({ $0.now }) }
  public var minimumResolution: Duration { .zero }

  /// How many sleepers wait for the clock.
  public var sleeperCount: Int { state.withLock({ $0.sleepers.count }) }

  /// Turns the clock to where the next sleeper wakes; false when nobody sleeps.
  package func advanceToNext() -> Bool {
    guard let next = state.withLock({ $0.sleepers.values.map(\.deadline).min() }) else { return false }
    advance(by: max(.zero, now.duration(to: next)))
    return true
  }

  /// Turns the clock and wakes whoever's time has come, earliest first.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for number in due.keys { state.sleepers.removeValue(forKey: number) }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
    }
    for sleeper in due { sleeper.resume(true) }
  }

  /// Turns the clock step by step until something has come about that hangs on several deadlines.
  ///
  /// After each step the others have a few milliseconds of real time, and five seconds after the last one.
  ///
  /// - Parameters:
  ///   - limit: how far to turn it at most.
  ///   - step: how far to turn it at once.
  ///   - condition: what is to come about; looked at again and again, also before the first step.
  /// - Returns: whether it has come about; false also when the calling task was cancelled.
  @discardableResult
  public func advance(
    by limit: Duration, step: Duration, until condition: @Sendable () async -> Bool
  ) async -> Bool {
    precondition(step > .zero, "a clock that is not turned comes to no end")
    var left = limit
    while left > .zero, !Task.isCancelled {
      if await eventually(within: .milliseconds(5), condition) { return true }
      advance(by: min(step, left))
      left -= step
    }
    return await eventually(within: .seconds(5), condition)
  }

  /// Waits until so many sleep, for instance until the listener under test has come to its own wait.
  ///
  /// - Parameters:
  ///   - count: how many; the time limits of the driver count, too.
  ///   - limit: how long to wait, in real time.
  /// - Throws: `.timedOut`, or `.cancelled` when the calling task was cancelled.
  public func waitForSleepers(_ count: Int = 1, within limit: Duration = .seconds(10)) async throws(LifecycleError) {
    if await eventually(within: limit, { self.sleeperCount >= count }) { return }
    if Task.isCancelled { throw LifecycleError(.cancelled, message: "the task that waits for sleepers was cancelled") }
    throw LifecycleError(
      .timedOut, message: "\(sleeperCount) sleep within \(limit), not \(count)",
      advice: "does the code under test sleep on this clock?")
  }

  /// Calls back when the clock is turned past this time; false if it was cancelled.
  package func schedule(after delay: Duration, _ resume: @escaping @Sendable (Bool) -> Void) -> UInt64 {
    state.withLock { state in
      state.nextSleeper += 1
      state.sleepers[state.nextSleeper] = Sleeper(deadline: state.now + delay, resume: resume)
      return state.nextSleeper
    }
  }

  package func cancel(_ number: UInt64) { state.withLock { _ = $0.sleepers.removeValue(forKey: number) } }

  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = state.withLock { state in
      state.nextSleeper += 1
      return state.nextSleeper
    }
    let woke = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if state.cancelledEarly.remove(number) != nil { return false }
          if deadline <= state.now { return true }
          state.sleepers[number] = Sleeper(deadline: deadline) { continuation.resume(returning: $0) }
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: number)
        if sleeper == nil { state.cancelledEarly.insert(number) }
        return sleeper
      }
      sleeper?.resume(false)
    }
    state.withLock { _ = $0.cancelledEarly.remove(number) }
    if !woke { throw CancellationError() }
  }
}
