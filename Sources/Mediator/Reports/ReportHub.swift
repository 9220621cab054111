/// Hands each report to everybody who reads `Lifecycle.reports`.
package final class ReportHub: Sendable {
  private struct State {
    var readers: [UInt64: AsyncStream<LifecycleReport>.Continuation] = [:]
    var nextReader: UInt64 = 0
    /// What was reported before there was a reader; the first one gets it.
    var backlog: [LifecycleReport]? = []
    var isFinished = false
  }

  /// Reports kept for a reader that is slow, or not there yet; beyond it the oldest are lost.
  private static let limit = 4096
  private let state = Locked(State())

  package init() {}

  package func send(_ report: LifecycleReport) {
    let readers = state.withLock { state in
      if let count = state.backlog?.count, count < Self.limit { state.backlog?.append(report) }
      return Array(state.readers.values)
    }
    for reader in readers { reader.yield(report) }
  }

  package func finish() {
    let readers = state.withLock { state in
      state.isFinished = true
      return Array(state.readers.values)
    }
    for reader in readers { reader.finish() }
  }

  package func stream() -> AsyncStream<LifecycleReport> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LifecycleReport.self, bufferingPolicy: .bufferingNewest(Self.limit))
    let (id, backlog, isFinished) = state.withLock { state in
      let id = state.nextReader
      state.nextReader += 1
      state.readers[id] = continuation
      defer { state.backlog = nil }
      return (id, state.backlog ?? [], state.isFinished)
    }
    for report in backlog { continuation.yield(report) }
    if isFinished { continuation.finish() }
    continuation.onTermination = { [weak self] _ in self?.forget(id) }
    return stream
  }

  private func forget(_ id: UInt64) {
    state.withLock { state in _ = state.readers.removeValue(forKey: id) }
  }
}
