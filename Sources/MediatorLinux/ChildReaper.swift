/// Reaps the orphans that became ours; for a process that is pid 1 or wants to be told of all that it left behind.
internal import CMediatorLinux
internal import Glibc

/// It holds the process's SIGCHLD, and takes every child that is no `Child` for an orphan: who starts processes in any
/// other way, by Foundation's `Process` or system(3), would find their status gone. One at a time.
package final class ChildReaper: Sendable {
  private struct State: Sendable {
    var source: EventSource?
    var retry: EventSource?
    var stopped = false
  }
  private let state = Guarded(State())
  private let loop: EventLoop
  private let wasSubreaper: Bool
  private let isSubreaper: Bool
  private let reaped: @Sendable (Int32, ExitStatus) -> Void

  /// How many are reaped before others on the loop have their turn.
  private static let mostAtOnce = 256
  /// How long a `Child` that has ended may hide others before all children are looked through one by one. Mostly its
  /// own descriptor is next on the loop.
  private static let patience = Duration.milliseconds(100)

  /// Begins at once, with what has ended already.
  ///
  /// Fails with EBUSY while there is another one.
  ///
  /// - Parameters:
  ///   - subreaper: makes this process the parent of all orphans below it, prctl(2). Pid 1 is that anyway.
  ///   - reaped: told on the loop of each one, after it was reaped.
  package init(
    on loop: EventLoop, subreaper: Bool = false, _ reaped: @escaping @Sendable (Int32, ExitStatus) -> Void
  ) throws(LinuxError) {
    self.loop = loop
    self.reaped = reaped
    isSubreaper = subreaper
    wasSubreaper = mediator_is_subreaper()
    let descriptor = mediator_child_signal_claim()
    guard descriptor >= 0 else {
      state.withLock { $0.stopped = true }
      throw LinuxError("sigaction", -descriptor)
    }
    do throws(LinuxError) {
      if subreaper { try Self.setSubreaper(true) }
      let source = try loop.watch(descriptor: descriptor) { [weak self] in self?.look() }
      state.withLock { $0.source = source }
    } catch {
      stop()
      throw error
    }
    let number = [SIGCHLD]
    // Some thread must have it open, also in a process that was started with it blocked.
    _ = loop.onLoop { unsafe mediator_thread_unblock(number, 1) }
    mediator_child_signal_raise()
  }

  deinit { stop() }

  /// Puts back SIGCHLD's disposition and who is the parent of orphans. What ends from here on stays a zombie.
  package func stop() {
    let last = state.withLock { state in
      defer { state = State(stopped: true) }
      return state
    }
    last.source?.cancel()
    last.retry?.cancel()
    if last.stopped { return }
    mediator_child_signal_release()
    if isSubreaper, !wasSubreaper { try? Self.setSubreaper(false) }
  }

  private static func setSubreaper(_ isOn: Bool) throws(LinuxError) {
    let result = mediator_set_subreaper(isOn)
    guard result >= 0 else { throw LinuxError("prctl", -result) }
  }
}

// MARK: - On the loop

extension ChildReaper {
  private func look() {
    mediator_child_signal_clear()
    for _ in 0..<Self.mostAtOnce {
      let pid = mediator_first_ended_child()
      if pid <= 0 { return KnownChildren.shared.clearSuspects() }
      if reap(pid) == .kept { return lookBehind(pid) }
    }
    mediator_child_signal_raise()
  }

  @discardableResult
  private func reap(_ pid: Int32) -> KnownChildren.Verdict {
    let verdict = KnownChildren.shared.reapIfUnknown(pid)
    if case .reaped(let status) = verdict { reaped(pid, status) }
    return verdict
  }

  /// The kernel tells of the first one alone, and that is not ours to reap. It raises us when it is reaped.
  private func lookBehind(_ pid: Int32) {
    let isArmed = state.withLock { $0.retry != nil || $0.stopped }
    if isArmed { return }
    let retry = loop.timer(after: Self.patience) { [weak self] in self?.lookThrough() }
    state.withLock { $0.retry = retry }
  }

  private func lookThrough() {
    let stopped = state.withLock { state in
      state.retry = nil
      return state.stopped
    }
    if stopped { return }
    let first = mediator_first_ended_child()
    // Whoever it is now: what is behind it may have waited as long as the first one.
    guard first > 0, KnownChildren.shared.mayKnow(first) else { return mediator_child_signal_raise() }
    let ours = getpid()
    for entry in ProcessTable.now().entries.values where entry.parent == ours && !entry.isAlive { reap(entry.pid) }
  }
}
