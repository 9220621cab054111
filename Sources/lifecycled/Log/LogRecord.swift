/// A line as it leaves: text for a descriptor, or fields for the journal.
enum LogRecord: Equatable, Sendable {
  case text(String)
  /// Each as "NAME=value".
  case fields([String])

  /// In bytes.
  var size: Int {
    switch self {
    case .text(let line): line.utf8.count
    case .fields(let fields): fields.reduce(0) { $0 + $1.utf8.count }
    }
  }
}
