internal import Dispatch
internal import Glibc
internal import Mediator
internal import MediatorLinux

/// Writes lines where they are logged if that is possible without waiting, else from a thread of its own, so that a slow,
/// full or closed reader holds nobody up.
final class LogWriter: Sendable {
  private struct State {
    var buffer: LogBuffer
    /// Somebody does, or is about to.
    var isWriting = false
    var hasThread = false
    /// What the thread goes on with.
    var rest: Rest?
  }

  /// Takes an entry; false when it could not be sent.
  typealias Journal = @Sendable (_ fields: [String]) -> Bool
  /// Runs the body on a thread of its own; false when there is none to be had.
  typealias StartThread = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

  private let descriptor: Int32
  private let journal: Journal
  private let startThread: StartThread
  private let state: Locked<State>
  private let hasRest = Gate()

  /// - Parameter descriptor: gets what is text.
  init(
    descriptor: Int32, buffer: LogBuffer, journal: @escaping Journal = LogWriter.system,
    startThread: @escaping StartThread = LogWriter.thread
  ) {
    self.descriptor = descriptor
    self.journal = journal
    self.startThread = startThread
    state = Locked(State(buffer: buffer))
  }

  static let system: Journal = { (try? MediatorLinux.Journal.send($0)) != nil }

  static let thread: StartThread = { (try? BlockingCall.begin("lifecycled-log", $0)) != nil }

  /// Never waits.
  func write(_ record: LogRecord) {
    let (isIdle, lacksThread) = state.withLock { state in
      state.buffer.add(record)
      defer { state.isWriting = true }
      return (!state.isWriting, state.rest != nil && !state.hasThread)
    }
    if isIdle { writeAtOnce() }
    if lacksThread { _ = wakeThread() }
  }

  /// Waits until everything was written, at most so long.
  func finish(within limit: DispatchTimeInterval) {
    let end = DispatchTime.now() + limit
    while .now() < end {
      let (isWriting, lacksThread) = state.withLock { ($0.isWriting, $0.rest != nil && !$0.hasThread) }
      guard isWriting else { return }
      if lacksThread, !wakeThread() { writeRest(until: end) } else { usleep(200) }
    }
  }

  /// What waits; writing is over when that is nothing.
  private func take() -> [LogBuffer.Item] {
    state.withLock { state in
      let items = state.buffer.takeAll()
      if items.isEmpty { state.isWriting = false }
      return items
    }
  }

  /// One round: whoever logs is not to write for all others.
  private func writeAtOnce() {
    let items = take()
    var lines = Lines()
    for item in items {
      guard case .text(let line) = item.record else { return handOver(Rest(items: items)) }
      lines.add(line, weight: item.weight)
    }
    let count = max(0, NonblockingWrite.write(lines.bytes, to: descriptor))
    if count < lines.bytes.count { return handOver(Rest(lines: lines, start: count)) }
    let others = take()
    if !others.isEmpty { handOver(Rest(items: others)) }
  }

  // MARK: The thread

  /// What may have to wait: the end of some lines, and what comes after them.
  private struct Rest: Sendable {
    var lines = Lines()
    var start = 0
    var items: [LogBuffer.Item] = []
  }

  private func handOver(_ rest: Rest) {
    state.withLock { $0.rest = rest }
    _ = wakeThread()
  }

  /// There is none before something has to wait. Where none is to be had it waits until there is, or for the end.
  private func wakeThread() -> Bool {
    let isFirst = state.withLock { state in
      defer { state.hasThread = true }
      return !state.hasThread
    }
    if isFirst {
      let hasStarted = startThread { [self] in
        while true {
          hasRest.pass()
          writeRest()
        }
      }
      guard hasStarted else {
        state.withLock { $0.hasThread = false }
        return false
      }
    }
    hasRest.open()
    return true
  }

  private func writeRest(until end: DispatchTime? = nil) {
    let rest = state.withLock { state in
      defer { state.rest = nil }
      return state.rest
    }
    guard let rest else { return }
    put(rest.lines, from: rest.start, until: end)
    var items = rest.items
    repeat {
      put(items, until: end)
      items = take()
    } while !items.isEmpty
  }

  /// Text that follows text leaves in one piece.
  private func put(_ items: [LogBuffer.Item], until end: DispatchTime?) {
    var lines = Lines()
    for item in items {
      switch item.record {
      case .text(let line): lines.add(line, weight: item.weight)
      case .fields(let fields):
        put(lines, until: end)
        lines = Lines()
        if !journal(fields) { lose(item.weight) }
      }
    }
    put(lines, until: end)
  }

  private func put(_ lines: Lines, from start: Int = 0, until end: DispatchTime?) {
    lose(lines.weight(behind: put(lines.bytes, from: start, until: end)))
  }

  /// Lines in a row, and how much would be lost with each.
  private struct Lines: Sendable {
    private(set) var bytes: [UInt8] = []
    private var ends: [(end: Int, weight: Int)] = []

    mutating func add(_ line: String, weight: Int) {
      bytes += line.utf8
      bytes.append(UInt8(ascii: "\n"))
      ends.append((bytes.count, weight))
    }

    func weight(behind written: Int) -> Int { ends.reduce(0) { $0 + ($1.end > written ? $1.weight : 0) } }
  }

  private func lose(_ count: Int) { state.withLock { $0.buffer.lose(count) } }

  /// How many bytes were written in all: all, or as many as somebody took.
  private func put(_ bytes: [UInt8], from first: Int, until end: DispatchTime?) -> Int {
    var start = first
    while start < bytes.count {
      // What poll(2) says of a pipe holds for PIPE_BUF bytes.
      if let end, !awaitRoom(until: end) { break }
      let limit = end == nil ? bytes.count : min(bytes.count, start + 4096)
      let count = unsafe bytes[start..<limit].withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        start += count
      } else if count < 0, errno == EAGAIN {
        _ = awaitRoom(until: nil)
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    return start
  }

  private func awaitRoom(until end: DispatchTime?) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let now = DispatchTime.now().uptimeNanoseconds
    let left = end.map { Int32(clamping: ($0.uptimeNanoseconds - min(now, $0.uptimeNanoseconds)) / 1_000_000) }
    return unsafe Glibc.poll(&poll, 1, left ?? -1) > 0
  }
}
