/// Work on a task of its own, so that whoever waits for it can leave it behind when it does not end.
///
/// The task runs where it is said, else where Swift runs tasks that have no executor; it inherits priority and task-local values.
package final class LeavableTask<Value: Sendable>: Sendable {
  /// How time passes: asked for, because this module has no clock. `Task.sleep(for:)` unless a test brings its own.
  package typealias Sleep = @Sendable (Duration) async throws -> Void
  package typealias Ending = Result<Value, any Error>

  private struct Waiter: Sendable {
    var resume: @Sendable (Ending?) -> Void
  }

  private struct State: Sendable {
    var ending: Ending?
    var isLeftBehind = false
    var waiter: Waiter?
    /// Grows with each wait: a timer of an earlier one wakes nobody.
    var round = 0
  }

  private let state: Shared<State>
  private let task: Task<Void, Never>
  private let executor: (any TaskExecutor)?

  /// Begins the work.
  ///
  /// - Parameters:
  ///   - executor: where the work runs, and the waiting for its time.
  ///   - work: what to do.
  ///   - late: gets what the work came to if that was after it had been left behind.
  package init(
    on executor: (any TaskExecutor)? = nil,
    _ work: @escaping @Sendable () async throws -> Value,
    late: @escaping @Sendable (Ending) async -> Void = { _ in }
  ) {
    let state = Shared(State())
    self.state = state
    self.executor = executor
    task = Task(executorPreference: executor) {
      let ending: Ending
      do { ending = .success(try await work()) } catch { ending = .failure(error) }
      let (isLate, waiter) = state.withLock { state in
        state.ending = ending
        defer { state.waiter = nil }
        return (state.isLeftBehind, state.waiter)
      }
      waiter?.resume(ending)
      if isLate { await late(ending) }
    }
  }

  /// Asks the work to end.
  package func cancel() { task.cancel() }

  /// What the work came to; nil when it did not end in time, or when the task that waits is cancelled.
  ///
  /// - Parameters:
  ///   - limit: how long to wait; without an end if nil.
  ///   - heedsCancellation: whether the cancellation of the task that waits ends the waiting; not that of the work.
  package func ending(
    within limit: Duration?, sleep: @escaping Sleep, heedsCancellation: Bool = true
  ) async -> Ending? {
    let round = state.withLock { state in
      state.round += 1
      return state.round
    }
    let timer = limit.map { limit in
      Task(executorPreference: executor) { [weak self] in
        do { try await sleep(limit) } catch { return }
        self?.giveUp(round)
      }
    }
    defer { timer?.cancel() }
    guard heedsCancellation else { return await wait(round) }
    return await withTaskCancellationHandler {
      await wait(round)
    } onCancel: {
      giveUp(round)
    }
  }

  private func wait(_ round: Int) async -> Ending? {
    await withCheckedContinuation { continuation in
      let (ending, hasEnded): (Ending?, Bool) = state.withLock { state in
        // Whoever gave up before there was a waiter has taken the round on.
        guard state.ending == nil, state.round == round else { return (state.ending, true) }
        state.waiter = Waiter { continuation.resume(returning: $0) }
        return (nil, false)
      }
      if hasEnded { continuation.resume(returning: ending) }
    }
  }

  private func giveUp(_ round: Int) {
    let waiter: Waiter? = state.withLock { state in
      guard state.round == round else { return nil }
      state.round += 1
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(nil)
  }

  /// Asks the work to end and waits for it no more; what it has come to meanwhile, if it has.
  package func leaveBehind() -> Ending? {
    let ending = state.withLock { state in
      if state.ending == nil { state.isLeftBehind = true }
      return state.ending
    }
    task.cancel()
    return ending
  }
}
