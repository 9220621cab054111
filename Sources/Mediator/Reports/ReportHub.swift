/// Hands each report to everybody who reads `Lifecycle.reports`.
package final class ReportHub: Sendable {
  private struct State {
    var readers: [UInt64: AsyncStream<LifecycleReport>.Continuation] = [:]
    /// Told at once, on whatever thread reports.
    var observers: [UInt64: Observer] = [:]
    var nextReader: UInt64 = 0
    /// What was reported before there was a reader; the first one gets it.
    var backlog: Backlog? = Backlog()
    var isFinished = false
  }

  /// The newest reports, in a ring.
  private struct Backlog {
    private var ring: [LifecycleReport] = []
    private var oldest = 0

    mutating func append(_ report: LifecycleReport) {
      if ring.count < ReportHub.limit { return ring.append(report) }
      ring[oldest] = report
      oldest = (oldest + 1) % ReportHub.limit
    }

    var reports: [LifecycleReport] { Array(ring[oldest...] + ring[..<oldest]) }
  }

  private struct Observer: Sendable { var tell: @Sendable (LifecycleReport) -> Void }

  /// Reports kept for a reader that is slow, or not there yet; beyond it the oldest are lost.
  private static let limit = 4096
  private let state = Locked(State())

  package init() {}

  package func send(_ report: LifecycleReport) {
    let (readers, observers) = state.withLock { state in
      state.backlog?.append(report)
      return (Array(state.readers.values), Array(state.observers.values))
    }
    for reader in readers { reader.yield(report) }
    for observer in observers { observer.tell(report) }
  }

  /// Tells this of each report from now on, in the order in which they are sent where one thread sends them; it must
  /// not wait.
  package func observe(_ tell: @escaping @Sendable (LifecycleReport) -> Void) -> UInt64 {
    state.withLock { state in
      state.nextReader += 1
      state.observers[state.nextReader] = Observer(tell: tell)
      return state.nextReader
    }
  }

  /// What it captured ends outside the lock.
  package func endObserving(_ id: UInt64) {
    let ended = state.withLock { $0.observers.removeValue(forKey: id) }
    _ = ended
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
    let id = state.withLock { state in
      state.nextReader += 1
      return state.nextReader
    }
    continuation.onTermination = { [weak self] _ in self?.forget(id) }
    // Under the lock, so that what is sent meanwhile comes behind; nobody reads the stream yet.
    let isFinished = state.withLock { state in
      for report in state.backlog?.reports ?? [] { continuation.yield(report) }
      state.backlog = nil
      if !state.isFinished { state.readers[id] = continuation }
      return state.isFinished
    }
    if isFinished { continuation.finish() }
    return stream
  }

  private func forget(_ id: UInt64) {
    state.withLock { state in _ = state.readers.removeValue(forKey: id) }
  }
}
