internal import Dispatch
internal import Glibc
internal import Mediator

/// The log of lifecycled, on standard error or in the journal: filters by level, renders, never blocks whoever logs.
final class EventLog: Sendable {
  private struct Settings {
    var level: LogLevel
    var target: LogTarget
  }

  private let style: LogLine.Style
  private let writer: LogWriter
  private let settings: Shared<Settings>

  /// - Parameters:
  ///   - style: of the lines on standard error.
  ///   - target: where the log goes until it is told otherwise.
  init(style: LogLine.Style, level: LogLevel, target: LogTarget = .console, descriptor: Int32 = STDERR_FILENO) {
    self.style = style
    let settings = Shared(Settings(level: level, target: target))
    self.settings = settings
    let buffer = LogBuffer { lost in
      let line = LogLine(.warning, "\(lost) lines were lost here: the log was not read in time")
      return Self.record(line, style, settings.withLock({ $0.target }))
    }
    writer = LogWriter(descriptor: descriptor, buffer: buffer)
  }

  /// For this process: the journal where it reads standard error, else standard error.
  static func system(level: LogLevel) -> EventLog {
    let stream = StandardStream.errors
    return EventLog(
      style: stream.isTerminal ? .readable(hasColour: stream.hasColour) : .prefixed, level: level, target: .system())
  }

  var level: LogLevel { settings.withLock { $0.level } }
  var target: LogTarget { settings.withLock { $0.target } }

  /// What is less urgent than this is not logged; the one place where that changes.
  func limit(to level: LogLevel) { settings.withLock { $0.level = level } }

  func lead(to target: LogTarget) { settings.withLock { $0.target = target } }

  func isLogged(_ level: LogLevel) -> Bool { settings.withLock { level <= $0.level && $0.target != .null } }

  func log(_ line: LogLine) {
    guard isLogged(line.level) else { return }
    writer.write(Self.record(line, style, target))
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

  private static func record(_ line: LogLine, _ style: LogLine.Style, _ target: LogTarget) -> LogRecord {
    if target == .journal { return .fields(line.fields) }
    if case .readable = style { return .text(line.rendered(style, time: TimeOfDay.now())) }
    return .text(line.rendered(style, time: ""))
  }
}
