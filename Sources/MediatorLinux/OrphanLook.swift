/// Whether any process became ours that nobody here has started; all who ask meanwhile share one look at /proc.
///
/// Mostly there is none, and then nobody has to search for what a program left behind: the many programs of a service
/// that stops would else each read all of /proc.
package final class OrphanLook: Sendable {
  private struct State: Sendable {
    var isLooking = false
    var asking: [CheckedContinuation<Bool, Never>] = []
  }
  private let state = Guarded(State())

  package init() {}

  /// As `mayFindAny`, for the loop that reaps: it need not look at the whole machine where the kernel lists the children
  /// of each process. nil where it does not.
  package func mayFindAnyOnLoop() -> Bool? { Descendants.listMayHaveOrphans() }

  /// False when there was certainly none at a moment after the question.
  package func mayFindAny() async -> Bool {
    await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state in
        state.asking.append(continuation)
        defer { state.isLooking = true }
        return !state.isLooking
      }
      if isFirst { Task.detached { await self.look() } }
    }
  }

  /// Looks until nobody asks: who asks during a look gets the next one.
  private func look() async {
    while true {
      let asking = state.withLock { state in
        defer { (state.isLooking, state.asking) = (!state.asking.isEmpty, []) }
        return state.asking
      }
      if asking.isEmpty { return }
      let found = try? await BlockingCall.run("orphans") { Descendants.mayHaveOrphans() }
      for continuation in asking { continuation.resume(returning: found ?? true) }
    }
  }
}
