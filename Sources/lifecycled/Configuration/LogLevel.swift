/// How much `lifecycled` logs: the levels of syslog(3), most urgent first.
enum LogLevel: String, Sendable, CaseIterable, Comparable {
  case emerg, alert, crit
  case error = "err"
  case warning, notice, info, debug

  /// The number of syslog(3), 0 for `emerg` to 7 for `debug`.
  var priority: Int {
    switch self {
    case .emerg: 0
    case .alert: 1
    case .crit: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug: 7
    }
  }

  static func < (left: LogLevel, right: LogLevel) -> Bool { left.priority < right.priority }

  /// A name or a number, and the long names that people write.
  init(parsing text: String) throws(ValueParser.Problem) {
    switch text.lowercased() {
    case "error": self = .error
    case "warn": self = .warning
    case "emergency": self = .emerg
    case "critical": self = .crit
    case let other:
      if let number = Int(other), let level = Self.allCases.first(where: { $0.priority == number }),
        other.utf8.count == 1
      {
        self = level
      } else {
        self = try ValueParser.word(other, LogLevel.self, noun: "a log level")
      }
    }
  }
}
