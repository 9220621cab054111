internal import Dispatch
internal import Mediator

/// Stands in for the bridge's delivery thread: one that blocks can be left behind, and the rest goes on on a fresh one.
final class DriverDelivery: TaskExecutor {
  private enum Work: Sendable {
    case closure(@Sendable () -> Void)
    case job(UnownedJob)
  }

  private struct State: Sendable {
    var work: [Work] = []
    /// Grows with each queue that is left behind; only the newest may take work.
    var generation = 0
    var isBusy = false
    var queue = DispatchQueue(label: "lifecycle-post")
  }

  /// As many as the bridge leaves behind.
  private static let mostLeftBehind = 4

  private let state = Locked(State())

  func submit(_ work: @escaping @Sendable () -> Void) { add(.closure(work)) }

  func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

  /// False when too many were left behind before.
  func leaveBehind() -> Bool {
    let mayGoOn: Bool = state.withLock { state in
      guard state.isBusy else { return true }
      guard state.generation < Self.mostLeftBehind else { return false }
      state.generation += 1
      state.queue = DispatchQueue(label: "lifecycle-post")
      state.isBusy = false
      return true
    }
    if mayGoOn { start() }
    return mayGoOn
  }

  private func add(_ work: Work) {
    state.withLock { $0.work.append(work) }
    start()
  }

  private func start() {
    let next: (DispatchQueue, Int)? = state.withLock { state in
      guard !state.isBusy, !state.work.isEmpty else { return nil }
      state.isBusy = true
      return (state.queue, state.generation)
    }
    guard let (queue, generation) = next else { return }
    queue.async { self.run(generation) }
  }

  private func run(_ generation: Int) {
    while let work = take(generation) {
      switch work {
      case .closure(let body): body()
      case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  private func take(_ generation: Int) -> Work? {
    state.withLock { state in
      guard state.generation == generation else { return nil }
      guard !state.work.isEmpty else {
        state.isBusy = false
        return nil
      }
      return state.work.removeFirst()
    }
  }
}
