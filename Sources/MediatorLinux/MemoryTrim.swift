/// Gives memory that is free in the process back to the system (`malloc_trim(3)`).
internal import CMediatorLinux

package enum MemoryTrim {
  /// For a process that allocates little: to be said before it has a second thread.
  package static func keepOneHeap() { mediator_malloc_one_heap() }

  private static let isUnderWay = Guarded(false)

  /// Takes seconds where much is free, on a thread of its own; one that is asked for meanwhile is left out.
  ///
  /// - Returns: false when there was no thread for it.
  @discardableResult
  package static func trim() async -> Bool {
    let isFirst = isUnderWay.withLock { isUnderWay in
      defer { isUnderWay = true }
      return !isUnderWay
    }
    guard isFirst else { return true }
    let done: ()? = try? await BlockingCall.run("memory-trim") { _ = mediator_malloc_trim() }
    isUnderWay.withLock { $0 = false }
    return done != nil
  }
}
