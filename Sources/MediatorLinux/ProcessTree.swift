/// Everything that one program left running, and its end.
internal import CMediatorLinux
internal import Glibc

/// Only processes below this one are ever signalled; as pid 1 or a subreaper those are all that it ever started, else
/// an orphan has become somebody else's and is not found. Every look reads /proc and `end` waits, so never on a loop.
///
/// Processes that each fork and end within a millisecond or so, faster than a look at /proc, may be seen by no look: only a
/// control group surely catches those.
package struct ProcessTree: Sendable {
  /// The first process and, because it leads one, the number of its group.
  private let root: Int32
  private let rootStart: UInt64?
  private let mark: String?
  private let includesOrphans: Bool

  /// Make it while the process has not been reaped: it is known by its start, so that its number may become another's.
  ///
  /// - Parameters:
  ///   - root: a `Child`'s number.
  ///   - mark: `NAME=value` that only this program's processes have in their environment.
  ///   - includesOrphans: takes also all that became ours and is no `Child`, whosever it was.
  package init(root: Int32, mark: String? = nil, includesOrphans: Bool = false) {
    self.root = root
    self.mark = mark
    self.includesOrphans = includesOrphans
    rootStart = ProcessEntry(pid: root)?.startTime
  }

  /// All of it that live.
  package func members() -> [ProcessEntry] { members(in: .now(), besides: [:]) }

  /// Ends all of it with SIGKILL, and tells what is still there: what we may not signal, and what the time limit, on
  /// CLOCK_MONOTONIC, did not suffice for.
  ///
  /// Everybody that is found is stopped first, until a look finds nobody new: else those that are not yet found go on
  /// forking while the others end.
  package func end(within limit: Duration) -> [ProcessEntry] {
    let deadline = MonotonicClock.microseconds(after: limit)
    var refused: [Int32: UInt64] = [:]
    while true {
      for entry in endOnce(until: deadline) { refused[entry.pid] = entry.startTime }
      let table = ProcessTable.now()
      let left = members(in: table, besides: [:])
      let isDone = left.allSatisfy { refused[$0.pid] == $0.startTime } && !isUncertain(table, besides: refused)
      if isDone || MonotonicClock.microseconds() >= deadline { return left.filter(Self.isThere) }
      _ = poll(nil, 0, 1)  // what is left needs a moment of the processor more than we do
    }
  }

  /// Returns whom we may not signal.
  private func endOnce(until deadline: UInt64) -> [ProcessEntry] {
    var (hit, refused): ([ProcessEntry], [ProcessEntry]) = ([], [])
    for entry in stopAll(until: deadline) {
      switch Self.signal(entry, SIGKILL) {
      case 0: hit.append(entry)
      case EPERM: refused.append(entry)
      default: break
      }
    }
    for entry in hit { Self.waitForEnd(of: entry, until: deadline) }
    return refused
  }

  /// Whether there is one that is an orphan or a `Child` that is being started, and nobody can tell which.
  private func isUncertain(_ table: ProcessTable, besides refused: [Int32: UInt64]) -> Bool {
    let ours = getpid()
    return includesOrphans
      && table.entries.values.contains { entry in
        entry.parent == ours && entry.isAlive && refused[entry.pid] != entry.startTime
          && !KnownChildren.shared.isKnown(entry.pid)
      }
  }

  private func stopAll(until deadline: UInt64) -> [ProcessEntry] {
    var stopped: [Int32: ProcessEntry] = [:]
    var table = ProcessTable()
    var isWhole = true
    repeat {
      table = .now(besides: isWhole ? ProcessTable() : table)
      let new = members(in: table, besides: stopped)
      for entry in new {
        _ = Self.signal(entry, SIGSTOP)
        stopped[entry.pid] = entry
      }
      // The quick looks trust numbers that may meanwhile be others'; the last one does not.
      if new.isEmpty, isWhole { break }
      isWhole = new.isEmpty
    } while MonotonicClock.microseconds() < deadline
    return Array(stopped.values)
  }

  /// Who is in the midst of execve(2) does not tell yet whose it is, and is asked again so often.
  private static let mostQuestions = 10

  /// - Parameter known: members already, and not to be told again; what they have started is new.
  private func members(in table: ProcessTable, besides known: [Int32: ProcessEntry]) -> [ProcessEntry] {
    var question = 1
    while true {
      let (new, isCertain) = look(in: table, besides: known)
      if isCertain || question == Self.mostQuestions { return new }
      question += 1
      _ = poll(nil, 0, 2)
    }
  }

  private func look(
    in table: ProcessTable, besides known: [Int32: ProcessEntry]
  ) -> (new: [ProcessEntry], isCertain: Bool) {
    let (ours, rootNow) = (getpid(), table.entries[root])
    // Where the number is another process's, no member of the old group is left either.
    let hasRoot = rootStart != nil && (rootNow == nil || rootNow?.startTime == rootStart)
    var found: Set<Int32> = []
    var new: [ProcessEntry] = []
    var isCertain = true
    // What another `Child` has started is never ours to end: an orphan comes straight to this process.
    for entry in table.below(ours, leavingOut: { $0 != root && KnownChildren.shared.isKnown($0) }) {
      let isKnown = known[entry.pid]?.startTime == entry.startTime
      var isMember =
        isKnown || found.contains(entry.parent) || (hasRoot && (entry.pid == root || entry.group == root))
        || (includesOrphans && entry.parent == ours && Descendants.isOrphan(entry))
      if !isMember, let mark {
        let isMarked = Descendants.isMarked(entry, mark)
        isCertain = isCertain && isMarked != nil
        isMember = isMarked ?? false
      }
      guard isMember else { continue }
      found.insert(entry.pid)
      if !isKnown, entry.isAlive { new.append(entry) }
    }
    return (new, isCertain)
  }
}

extension ProcessTree {
  /// Signals exactly this process: the descriptor is held before the number is looked at again. An errno, or 0.
  private static func signal(_ entry: ProcessEntry, _ number: Int32) -> Int32 {
    withDescriptor(of: entry) { -mediator_pidfd_send_signal($0, number) } ?? ESRCH
  }

  /// Whether it lives still: the last look may be some time ago, where there is much to look at.
  private static func isThere(_ entry: ProcessEntry) -> Bool {
    guard let now = ProcessEntry(pid: entry.pid) else { return false }
    return now.startTime == entry.startTime && now.isAlive
  }

  private static func waitForEnd(of entry: ProcessEntry, until deadline: UInt64) {
    _ = withDescriptor(of: entry) { descriptor in
      while true {
        let now = MonotonicClock.microseconds()
        if now >= deadline { return 0 }
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(clamping: (deadline - now) / 1000 + 1)
        if unsafe poll(&wanted, 1, milliseconds) >= 0 || errno != EINTR { return 0 }
      }
    }
  }

  /// nil when the number is nobody's or another's by now.
  private static func withDescriptor(of entry: ProcessEntry, _ body: (Int32) -> Int32) -> Int32? {
    let descriptor = mediator_pidfd_open(entry.pid)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    guard let now = ProcessEntry(pid: entry.pid), now.startTime == entry.startTime else { return nil }
    return body(descriptor)
  }
}
