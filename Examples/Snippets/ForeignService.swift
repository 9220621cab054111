/// Somebody else's service, which is one long call, as a listener.
import Mediator

actor ForeignService: LifecycleListener {
  nonisolated let name: String
  private let run: @Sendable () async throws -> Void
  private let shutDown: @Sendable () async -> Void
  private let ended: @Sendable () -> Void
  private var task: Task<Void, any Error>?

  /// - Parameters:
  ///   - run: returns, or throws, when the service has ended.
  ///   - shutDown: asks the service to end; it need not wait until it has.
  ///   - ended: called when the service has ended, also of itself.
  init(
    _ name: String, run: @escaping @Sendable () async throws -> Void,
    shutDown: @escaping @Sendable () async -> Void, ended: @escaping @Sendable () -> Void
  ) {
    self.name = name
    self.run = run
    self.shutDown = shutDown
    self.ended = ended
  }

  func didFinishLaunching(_ transition: LifecycleTransition) {
    task = Task { [run, ended] in
      defer { ended() }
      try await run()
    }
  }

  /// What the service threw is this listener's failure.
  func willTerminate(_ transition: LifecycleTransition) async throws {
    guard let task else { return }
    await shutDown()
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()  // the stop is in a hurry: its time is over, or a second SIGTERM came
    }
  }
}
