/// Which processes are `Child`ren of ours, and which may still turn out to be.
internal import CMediatorLinux
internal import Glibc

/// Between the start of a process and the moment at which its number is known here, it may end; so every spawn takes a
/// ticket, and an unknown zombie is nobody's only when all spawns that were under way when it was seen first are over.
/// No lock is held while a process is started: that waits for the program's file.
final class KnownChildren: Sendable {
  static let shared = KnownChildren()

  /// Which spawn a number belongs to, so that one that is given again is not forgotten with its first owner.
  typealias Ticket = UInt64

  enum Verdict: Hashable, Sendable {
    case reaped(ExitStatus)
    /// A `Child`, or not certainly none.
    case kept
    /// Somebody else was faster.
    case gone
  }

  private struct State: Sendable {
    var known: [Int32: Ticket] = [:]
    var underWay: Set<Ticket> = []
    var next: Ticket = 0
    /// Unknown zombies, each with the first ticket whose spawn cannot have made it.
    var suspects: [Int32: Ticket] = [:]

    func mayKnow(_ pid: Int32, before ticket: Ticket) -> Bool {
      known[pid] != nil || underWay.contains { $0 < ticket }
    }
  }
  private let state = Guarded(State())

  func spawn(_ body: () throws(LinuxError) -> mediator_child) throws(LinuxError) -> (mediator_child, Ticket) {
    let ticket = state.withLock { state in
      defer { state.next += 1 }
      state.underWay.insert(state.next)
      return state.next
    }
    do {
      let child = try body()
      finish(ticket, pid: child.pid)
      return (child, ticket)
    } catch {
      finish(ticket, pid: nil)
      throw error
    }
  }

  private func finish(_ ticket: Ticket, pid: Int32?) {
    let hasSuspects = state.withLock { state in
      state.underWay.remove(ticket)
      if let pid { (state.known[pid], state.suspects[pid]) = (ticket, nil) }
      return !state.suspects.isEmpty
    }
    if hasSuspects { mediator_child_signal_raise() }
  }

  /// For one that is reaped, or that nobody watches any more: what hid behind it is looked at again.
  func forget(_ pid: Int32, _ ticket: Ticket) {
    let wasKnown = state.withLock { state in
      guard state.known[pid] == ticket else { return false }
      state.known[pid] = nil
      return true
    }
    if wasKnown { mediator_child_signal_raise() }
  }

  /// Nobody has ended, so nobody is suspected.
  func clearSuspects() { state.withLock { $0.suspects = [:] } }

  func isKnown(_ pid: Int32) -> Bool { state.withLock { $0.known[pid] != nil } }

  func areKnown(_ pids: [Int32]) -> Bool { state.withLock { state in pids.allSatisfy { state.known[$0] != nil } } }

  /// Also true of everybody while a spawn is under way, whose number nobody can tell yet.
  func mayKnow(_ pid: Int32) -> Bool { state.withLock { $0.mayKnow(pid, before: $0.next) } }

  /// Reaps a child that has ended, if it is certainly no `Child`: under the lock, so that its number cannot become one's
  /// meanwhile.
  func reapIfUnknown(_ pid: Int32) -> Verdict {
    state.withLock { state in
      let ticket = state.suspects[pid] ?? state.next
      guard !state.mayKnow(pid, before: ticket) else {
        state.suspects[pid] = state.known[pid] == nil ? ticket : nil
        return .kept
      }
      state.suspects[pid] = nil
      var end = mediator_exit()
      let result = unsafe mediator_reap_child(pid, &end)
      return result == 0 && end.ended ? .reaped(ExitStatus(end)) : .gone
    }
  }
}
