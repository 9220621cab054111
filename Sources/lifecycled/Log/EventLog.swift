internal import Dispatch
internal import Glibc
internal import Mediator

/// The log of lifecycled on standard error: filters by level, renders, and never blocks whoever logs.
final class EventLog: Sendable {
  private let style: LogLine.Style
  private let writer: LogWriter
  private let level: Locked<LogLevel>

  init(style: LogLine.Style, level: LogLevel, descriptor: Int32 = STDERR_FILENO) {
    self.style = style
    self.level = Locked(level)
    let buffer = LogBuffer { lost in
      LogLine(.warning, "\(lost) lines were lost here: the log was not read in time")
        .rendered(style, time: TimeOfDay.now())
    }
    writer = LogWriter(descriptor: descriptor, buffer: buffer)
  }

  /// For this process's standard error.
  static func system(level: LogLevel) -> EventLog {
    let stream = StandardStream.errors
    return EventLog(style: stream.isTerminal ? .readable(hasColour: stream.hasColour) : .prefixed, level: level)
  }

  var limit: LogLevel { level.withLock(\.self) }

  /// What is less urgent than this is not logged.
  func limit(to level: LogLevel) { self.level.withLock { $0 = level } }

  func isLogged(_ level: LogLevel) -> Bool { level <= self.level.withLock(\.self) }

  func log(_ line: LogLine) {
    guard isLogged(line.level) else { return }
    var time = ""
    if case .readable = style { time = TimeOfDay.now() }
    writer.write(line.rendered(style, time: time))
  }

  func log(_ level: LogLevel, subject: String? = nil, _ text: @autoclosure () -> String) {
    guard isLogged(level) else { return }
    log(LogLine(level, subject: subject, text()))
  }

  func log(_ faults: [Fault]) {
    for fault in faults { log(LogLine(fault.severity == .error ? .error : .warning, fault.description)) }
  }

  /// The end: waits a second at most until everything was written.
  func finish() { writer.finish(within: .seconds(1)) }
}
