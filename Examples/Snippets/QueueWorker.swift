/// A listener with work that lasts: begun after its start, cancelled and waited for in its turn of the stop.
import Mediator

actor QueueWorker: RunningListener {
  private let jobs: AsyncStream<String>
  private(set) var done: [String] = []
  private(set) var isClosed = false

  init(jobs: AsyncStream<String>) { self.jobs = jobs }

  /// When a required one returns by itself, or throws, the lifecycle stops with 70; an optional one makes it degraded.
  func run() async throws {
    for await job in jobs { done.append(job) }  // ends when it is cancelled
    if !Task.isCancelled { throw LifecycleError(.listenerFailed, message: "the queue has gone away") }
  }

  /// Called when `run` has returned.
  func willTerminate(_ transition: LifecycleTransition) { isClosed = true }
}
