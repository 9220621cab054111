extension Lifecycle {
  /// Calls foreign code beside the lifecycle, and goes on when its time is over, whether it has returned or not.
  ///
  /// - Parameters:
  ///   - limit: on the lifecycle's own clock; nil is no limit.
  ///   - body: cancelled, and left behind, when its time is over (`ETIMEDOUT`) or the caller is cancelled.
  func call<Value: Sendable>(
    within limit: Duration?, _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error> {
    let work = LeavableTask(on: beside, body)
    if let ending = await work.ending(within: limit, sleep: { try await self.sleep(for: $0) }) { return ending }
    let isCancelled = Task.isCancelled
    // What it has come to in that moment counts.
    if let ending = work.leaveBehind() { return ending }
    return .failure(isCancelled ? CancellationError() : LifecycleError.timedOut(after: limit ?? .zero))
  }

  /// Sleeps by the lifecycle's timers; before the run and after the end, when there are none, as tasks do.
  private func sleep(for duration: Duration) async throws {
    let sleeper = Shared(Sleeper())
    try await withTaskCancellationHandler {
      let isOver = await withCheckedContinuation { continuation in
        let isCancelled = sleeper.withLock { sleeper in
          if !sleeper.isOver { sleeper.waiter = Sleeper.Waiter { continuation.resume(returning: $0) } }
          return sleeper.isOver
        }
        if isCancelled { return continuation.resume(returning: true) }
        guard let timer = timer(after: duration, { Sleeper.end(sleeper) }) else {
          return Sleeper.end(sleeper, isWithoutClock: true)
        }
        let isLate = sleeper.withLock { sleeper in
          if !sleeper.isOver { sleeper.timer = timer }
          return sleeper.isOver
        }
        if isLate { timer.cancel() }
      }
      // No task sleeps for centuries.
      if !isOver { try await Task.sleep(for: min(duration, .seconds(1_000_000_000))) }
    } onCancel: {
      Sleeper.end(sleeper)
    }
  }
}

/// Somebody who sleeps by a timer that may be cancelled.
private struct Sleeper: Sendable {
  struct Waiter: Sendable { var resume: @Sendable (Bool) -> Void }

  var waiter: Waiter?
  var timer: (any LifecycleTimer)?
  var isOver = false

  static func end(_ sleeper: Shared<Sleeper>, isWithoutClock: Bool = false) {
    let (waiter, timer) = sleeper.withLock { sleeper in
      defer { sleeper = Sleeper(isOver: true) }
      return (sleeper.waiter, sleeper.timer)
    }
    timer?.cancel()
    waiter?.resume(!isWithoutClock)
  }
}
