/// A call whose caller goes on when its time is over, whether it has returned or not.
enum TimedCall {
  private final class Race<Value: Sendable>: Sendable {
    private struct State {
      var continuation: CheckedContinuation<Result<Value, any Error>, Never>?
      var result: Result<Value, any Error>?
      var task: Task<Void, Never>?
      var timer: (any LifecycleTimer)?
      var isCancelled = false
    }
    private let state = Locked(State())

    /// The first end counts.
    func end(_ result: Result<Value, any Error>, cancelling: Bool = false) {
      let (continuation, task, timer) = state.withLock { state in
        defer {
          if cancelling, state.result == nil { state.isCancelled = true }
          state.result = state.result ?? result
          state.continuation = nil
          state.timer = nil
        }
        return (state.continuation, state.task, state.timer)
      }
      timer?.cancel()
      // Its cancellation handlers are foreign, and this may be the loop.
      if cancelling, let task { Task.detached { task.cancel() } }
      continuation?.resume(returning: result)
    }

    func keep(_ task: Task<Void, Never>, _ timer: (any LifecycleTimer)?) {
      let (isOver, isCancelled) = state.withLock { state in
        state.task = task
        if state.result == nil { state.timer = timer }
        return (state.result != nil, state.isCancelled)
      }
      if isOver { timer?.cancel() }
      if isCancelled { task.cancel() }
    }

    /// Before the run and after the end there are no timers, and a limit counts all the same.
    func endWithoutClock(after limit: Duration) {
      Task.detached { [weak self] in
        try? await Task.sleep(for: min(limit, .seconds(1_000_000_000)))
        self?.end(.failure(LifecycleError.timedOut(after: limit)), cancelling: true)
      }
    }

    func value() async -> Result<Value, any Error> {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state in
          if state.result == nil { state.continuation = continuation }
          return state.result
        }
        if let result { continuation.resume(returning: result) }
      }
    }
  }

  /// Returns what the body returns or throws, or that its time is over (`ETIMEDOUT`), or that the caller was cancelled;
  /// in both cases the body is cancelled, and left behind.
  ///
  /// - Parameter lifecycle: whose timers count.
  static func run<Value: Sendable>(
    within limit: Duration?, on lifecycle: Lifecycle, _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error> {
    let race = Race<Value>()
    let task = Task.detached {
      do { race.end(.success(try await body())) } catch { race.end(.failure(error)) }
    }
    let overdue = limit.flatMap { limit in
      lifecycle.timer(after: limit) { race.end(.failure(LifecycleError.timedOut(after: limit)), cancelling: true) }
    }
    if let limit, overdue == nil { race.endWithoutClock(after: limit) }
    race.keep(task, overdue)
    return await withTaskCancellationHandler {
      await race.value()
    } onCancel: {
      race.end(.failure(CancellationError()), cancelling: true)
    }
  }
}
