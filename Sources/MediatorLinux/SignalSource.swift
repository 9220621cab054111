/// The process's claim on a set of signals, and the stream of what arrives.
internal import CMediatorLinux
internal import Glibc

/// Dispositions are in place when `init` returns; what arrives before `start` is kept. One claim at a time.
package final class SignalSource: Sendable {
  package let ignored: Set<Int32>

  private struct State: Sendable {
    var claimed: Set<Int32> = []
    var released = false
    var source: EventSource?
  }
  private let state = Guarded(State())

  package var claimed: Set<Int32> { state.withLock { $0.claimed } }

  /// Whether the process was started with this signal ignored, as nohup(1) does with SIGHUP.
  package static func inheritedIgnored(_ number: Int32) -> Bool { mediator_signal_ignored_before(number) }

  /// SIGRTMIN + offset: the C library keeps the first ones for itself, so the number is its to say.
  package static func realtime(_ offset: Int32) -> Int32 { __libc_current_sigrtmin() + offset }

  /// Fails with EBUSY while another source holds the claim, EINVAL for what cannot be handled (SIGKILL, SIGSTOP).
  package init(claiming claimed: Set<Int32>, ignoring ignored: Set<Int32> = []) throws(LinuxError) {
    self.ignored = ignored
    state.withLock { $0.claimed = claimed }
    let (handled, dropped) = (Array(claimed), Array(ignored.subtracting(claimed)))
    let result = unsafe mediator_signals_claim(handled, handled.count, dropped, dropped.count)
    guard result >= 0 else {
      state.withLock { $0.released = true }
      throw LinuxError("sigaction", -result)
    }
  }

  deinit { release() }

  /// Claims more signals; those that are claimed already stay so. Fails with EINVAL after the release.
  package func extend(by numbers: Set<Int32>) throws(LinuxError) {
    let new = Array(numbers.subtracting(claimed).subtracting(ignored))
    if new.isEmpty { return }
    let result = unsafe mediator_signals_extend(new, new.count)
    guard result >= 0 else { throw LinuxError("sigaction", -result) }
    let loop = state.withLock { state in
      state.claimed.formUnion(new)
      return state.source?.loop
    }
    if let loop { unblock(on: loop) }
  }

  /// Delivers on the loop what came since the claim, and everything from now on.
  package func start(
    on loop: EventLoop, _ handler: @escaping @Sendable (SignalRecord) -> Void
  ) throws(LinuxError) {
    let deliver: @Sendable () -> Void = { [weak self] in self?.drain(handler) }
    let source = try loop.watchFirst(descriptor: mediator_signals_descriptor(), deliver)
    unblock(on: loop)
    let released = state.withLock { state in
      if !state.released { state.source = source }
      return state.released
    }
    if released { source.cancel() }
  }

  /// What is there now, in the order of arrival, in which two threads that take a signal each may pass one another; what
  /// the pipe had no room for comes last, without its sender.
  package func drain() -> [SignalRecord] {
    var records: [SignalRecord] = []
    drain { records.append($0) }
    return records
  }

  private func drain(_ handler: (SignalRecord) -> Void) {
    if state.withLock({ $0.released }) { return }
    unsafe withUnsafeTemporaryAllocation(of: mediator_signal_record.self, capacity: 64) { buffer in
      guard let records = buffer.baseAddress else { return }
      var count = 0
      repeat {
        count = unsafe mediator_signals_read(records, buffer.count)
        for index in 0..<count {
          let raw = unsafe records[index]
          if raw.number != 0 { handler(SignalRecord(raw)) }
        }
      } while count == buffer.count
    }
    guard mediator_signals_any_unrecorded() else { return }
    for number in claimed.sorted() {
      for _ in 0..<mediator_signals_take_unrecorded(number) {
        handler(SignalRecord(number: number, code: 0, senderPID: 0, senderUID: 0))
      }
    }
  }

  /// Which of our dispositions somebody has replaced, as a Dispatch signal source does.
  package func stolen() -> Set<Int32> {
    if state.withLock({ $0.released }) { return [] }
    return claimed.union(ignored).filter { !mediator_signal_in_place($0) }
  }

  /// Puts our dispositions back in place, takes the signals out of every signalfd of the process and opens them on the
  /// loop's thread: a Dispatch source blocks them in the thread that they hit and reads them from a signalfd, where,
  /// disposition or not, it would still get every third one.
  package func reclaim(_ numbers: Set<Int32>) throws(LinuxError) {
    for number in numbers.sorted() {
      let result = mediator_signal_reclaim(number)
      guard result >= 0 else { throw LinuxError("sigaction", -result) }
    }
    if let loop = state.withLock({ $0.source?.loop }) { unblock(on: loop) }
  }

  /// Puts back the dispositions that were there before the claim.
  package func release() {
    let (first, source) = state.withLock { state in
      defer { state = State(claimed: state.claimed, released: true) }
      return (!state.released, state.source)
    }
    source?.cancel()
    if first { mediator_signals_release() }
  }

  /// A process-directed signal goes to any thread that does not block it: with this one there always is such a thread,
  /// also when the process was started with the signal blocked.
  private func unblock(on loop: EventLoop) {
    let numbers = Array(claimed)
    _ = loop.onLoop { unsafe mediator_thread_unblock(numbers, numbers.count) }
  }
}
