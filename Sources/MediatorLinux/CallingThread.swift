/// Runs tasks on the thread that waits for what they come to.
///
/// Swift's pool wakes an idle process once a second from the first task that ran there to its end (libdispatch looks
/// after its threads), and costs two threads and their memory. Whoever gives tasks this preference does without it.
package final class CallingThread: TaskExecutor {
  private let queue = Guarded(WorkQueue())
  private let wakeUp = Gate()

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if case .thread = queue.withLock({ $0.append(.job(job)) }) { wakeUp.open() }
  }

  /// Runs the body, and other tasks that prefer this executor, until the body has returned; call it once.
  ///
  /// What comes after that never runs: the process is to end.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let result = Guarded<Value?>(nil)
    Task(executorPreference: self) {
      let value = await body()
      result.withLock { $0 = value }
    }
    while true {
      if let value = result.withLock({ $0 }) { return value }
      switch queue.withLock({ $0.nextOrSleep() }) {
      case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      case .closure(let body): body()
      case nil: wakeUp.pass()
      }
    }
  }
}
