/// One thing that is wrong, or doubtful, in the configuration, and where it stands.
struct Fault: Error, Hashable, Sendable {
  enum Severity: Hashable, Sendable {
    /// Makes the whole configuration unusable.
    case error
    /// Worth saying; the configuration is used all the same.
    case warning
  }

  var severity: Severity = .error
  /// The path as it was opened.
  var file: String
  /// Counted from 1; nil when the file or folder as a whole is meant.
  var line: Int?
  var what: String
  /// What to do about it, without a full stop.
  var advice: String?
}

extension Fault: CustomStringConvertible {
  /// `file:line: what (advice)`, with every foreign character made visible.
  var description: String {
    var text = file
    if let line { text += ":\(line)" }
    text += severity == .warning ? ": warning: " : ": "
    text += what
    if let advice { text += " (\(advice))" }
    return Escaped.text(text)
  }
}
