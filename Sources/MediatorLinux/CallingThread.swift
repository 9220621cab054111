internal import CMediatorLinux

/// Runs tasks on the thread that waits for what they come to.
///
/// Swift's pool wakes an idle process once a second from the first task that ran there to its end (libdispatch looks
/// after its threads), and costs two threads and their memory. Whoever gives tasks this preference does without it.
package final class CallingThread: TaskExecutor {
  private let queue = Guarded(WorkQueue())
  private let wakeUp = Gate()
  private let sleepers = Guarded(Sleepers<CheckedContinuation<Void, any Error>>())

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if case .thread = queue.withLock({ $0.append(.job(job)) }) { wakeUp.open() }
  }

  /// Runs the body, and other tasks that prefer this executor, until the body has returned; call it once.
  ///
  /// What comes after that never runs: the process is to end.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    unsafe mediator_thread_set_owner(address)
    defer { mediator_thread_set_owner(nil) }
    let result = Guarded<Value?>(nil)
    Task(executorPreference: self) {
      let value = await body()
      result.withLock { $0 = value }
    }
    while true {
      wakeTheDue()
      if let value = result.withLock({ $0 }) { return value }
      switch queue.withLock({ $0.nextOrSleep() }) {
      case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      case .closure(let body): body()
      case nil: waitForWork()
      }
    }
  }

  /// Whether this is the thread that waits.
  package var isCurrent: Bool { unsafe mediator_thread_owner() == UnsafeRawPointer(address) }

  private var address: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  // MARK: Sleep

  /// Returns after a time on CLOCK_MONOTONIC: as `Task.sleep(for:)`, which wakes threads of Swift's pool for it.
  ///
  /// - Throws: `CancellationError`, at once, when the task is cancelled.
  package func sleep(for duration: Duration) async throws {
    let (due, number) = (SuspendingClock.now + duration, sleepers.withLock { $0.number() })
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isNext = sleepers.withLock { sleepers in
          sleepers.add(number, until: due, continuation)
          return sleepers.earliest == due
        }
        // Whoever cancelled before found nobody.
        if Task.isCancelled { return cancelSleep(number) }
        if isNext { wakeUp.open() }
      }
    } onCancel: {
      cancelSleep(number)
    }
  }

  private func cancelSleep(_ number: UInt64) {
    sleepers.withLock { $0.remove(number) }?.resume(throwing: CancellationError())
  }

  private func wakeTheDue() {
    guard let earliest = sleepers.withLock({ $0.earliest }) else { return }
    let now = SuspendingClock.now
    guard earliest <= now else { return }
    for sleeper in sleepers.withLock({ $0.takeDue(at: now) }) { sleeper.resume() }
  }

  private func waitForWork() {
    guard let earliest = sleepers.withLock({ $0.earliest }) else { return wakeUp.pass() }
    wakeUp.pass(within: SuspendingClock.now.duration(to: earliest))
  }
}
