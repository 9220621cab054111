// One of the few files of this module that may be unsafe: an executor runs jobs that it does not own.
internal import Foundation

/// Runs each task of a `Concurrently` on a thread that nobody else waits for.
///
/// The global executor has a thread per core: on two cores five children that block for 200 ms took 600 ms there, and
/// two that block for ever stop everything else in the process. A serial queue gets a thread of its own when it needs
/// one, and the thread is kept for the next.
final class BlockingExecutor: TaskExecutor {
  private let queue: DispatchQueue

  init() { queue = DispatchQueue(label: "lifecycle-concurrently") }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
