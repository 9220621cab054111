/// One line for the log: how urgent it is, who says it, and what; foreign text in it is made safe when it is rendered.
struct LogLine: Equatable, Sendable {
  enum Style: Equatable, Sendable {
    /// `<N>` before the text, as sd-daemon(3) defines it: the journal makes a priority of it.
    case prefixed
    /// The time of day, and colour if wanted.
    case readable(hasColour: Bool)
  }

  /// The name under which lifecycled itself logs.
  static let identifier = "lifecycled"

  var level: LogLevel
  /// The hook or program whose line this is, named before the text; nil for what lifecycled itself says.
  var subject: String?
  var text: String
  /// The subject's program printed the text.
  var isOutput = false
  /// What kind of happening it tells; nil for mere words.
  var kind: LogKind?
  /// The listener that the text is about, where the text itself names it.
  var listener: String?
  var facts: [LogField: String] = [:]

  init(_ level: LogLevel, subject: String? = nil, _ text: String) {
    self.level = level
    self.subject = subject
    self.text = text
  }

  /// What a program printed.
  static func output(of subject: String, _ text: String) -> LogLine {
    var line = LogLine(.info, subject: subject, text)
    line.isOutput = true
    return line
  }

  /// The text behind the name of its subject.
  var whole: String { subject.map { "\($0): \(text)" } ?? text }

  /// The line without its line end: never more than one line, and no control character but a tab.
  func rendered(_ style: Style, time: String) -> String {
    let safe = Escaped.text(whole)
    switch style {
    case .prefixed: return "<\(level.priority)>\(safe)"
    case .readable(let hasColour):
      guard hasColour, let colour else { return "\(time) \(safe)" }
      return "\(time) \u{1B}[\(colour)m\(safe)\u{1B}[0m"
    }
  }

  private var colour: String? {
    switch level {
    case .emerg, .alert, .crit, .error: "31"
    case .warning: "33"
    case .notice: "1"
    case .info: nil
    case .debug: "2"
    }
  }
}
