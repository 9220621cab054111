/// One thread that runs foreign code, so that the loop never does.
internal import CMediatorLinux

/// Given as a task's executor preference. A stuck thread can later be abandoned: each piece of work is taken from the
/// queue alone, so whatever a thread is stuck in, the rest is still there for its successor.
package final class DeliveryExecutor: TaskExecutor {
  package let name: String
  private let queue = Guarded(WorkQueue())
  private let wakeUp = Gate()
  private let ended = Gate()

  private struct Threads: Sendable {
    /// Grows with each thread that is left behind; only the newest may take work.
    var generation = 0
    var isBusy = false
  }
  private let threads = Guarded(Threads())
  /// Each costs a stack and whatever it is stuck with.
  private static let mostLeftBehind = 4

  /// Starts the thread; it ends, and the executor can be released, only after `shutdown()`.
  package init(name: String) throws(LinuxError) {
    self.name = name
    let started = startThread()
    guard started >= 0 else { throw LinuxError("pthread_create", -started) }
  }

  /// Runs the work on the thread, in one order with the jobs of tasks that prefer it.
  package func submit(_ work: @escaping @Sendable () -> Void) { add(.closure(work)) }

  package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

  package var isCurrent: Bool { unsafe mediator_thread_owner() == UnsafeRawPointer(address) }

  /// How much waits, without what is running.
  package var depth: Int { queue.withLock { $0.count } }

  /// Runs what is queued and ends the thread; returns when it is done, on the thread itself at once.
  package func shutdown() {
    stop()
    if !isCurrent { ended.waitOpen() }
  }

  /// As `shutdown`, without waiting for a thread that may be stuck.
  package func stop() { wake(queue.withLock { $0.stop() }) }

  /// Leaves the thread behind if it is in the middle of something, and goes on with the queue on a fresh one.
  ///
  /// What the old thread is stuck in may still return; the thread then ends. False when four were left behind before.
  package func leaveThreadBehind() -> Bool {
    let mayGoOn: Bool? = threads.withLock { threads in
      guard threads.isBusy else { return nil }
      guard threads.generation < Self.mostLeftBehind else { return false }
      threads.generation += 1
      threads.isBusy = false
      return true
    }
    guard mayGoOn == true else { return mayGoOn ?? true }
    return startThread() >= 0
  }
}

extension DeliveryExecutor {
  private var address: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  private func add(_ work: Work) { wake(queue.withLock { $0.append(work) }) }

  private func wake(_ wake: WorkQueue.Wake) {
    switch wake {
    case .nothing: break
    case .thread: wakeUp.open()
    case .lateThread:
      // Work that comes after the end still runs, or whoever awaits it would hang.
      let started = startThread()
      precondition(started >= 0, "pthread_create: \(LinuxError.text(-started))")
    }
  }

  /// Listeners spawn programs: those should inherit the mask that the process was given, not a pool worker's.
  private func startThread() -> Int32 {
    let retained = unsafe Unmanaged.passRetained(self)
    let started = unsafe mediator_thread_start(
      name, MEDIATOR_MASK_OF_FIRST_THREAD,
      { unsafe Unmanaged<DeliveryExecutor>.fromOpaque($0!).takeRetainedValue().run() }, retained.toOpaque())
    if started < 0 { unsafe retained.release() }
    return started
  }

  private func run() {
    let generation = threads.withLock({ $0.generation })
    let late = queue.withLock { $0.finished }
    if late { ended.waitOpen() }
    unsafe mediator_thread_set_owner(address)
    while true {
      let (work, finished) = queue.withLock { ($0.nextOrSleep(), $0.finished) }
      if let work {
        threads.withLock { $0.isBusy = true }
        perform(work)
        let isLeftBehind = threads.withLock { threads in
          guard threads.generation == generation else { return true }
          threads.isBusy = false
          return false
        }
        if isLeftBehind { return mediator_thread_set_owner(nil) }
      } else if finished {
        break
      } else {
        wakeUp.pass()
      }
    }
    mediator_thread_set_owner(nil)
    if !late { ended.stayOpen() }
  }

  private func perform(_ work: Work) {
    switch work {
    case .closure(let body): body()
    case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
