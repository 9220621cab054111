/// Reads a file of `NAME=VALUE` lines as `EnvironmentFile=` of systemd.exec(5) does.
///
/// Shell-like: single and double quotes, backslash at the end of a line continues, lines that begin with `#` or `;` and
/// lines without `=` are ignored. A comment never continues (systemd since 254). Nothing is expanded.
struct EnvironmentFile {
  private enum State {
    case beforeKey, key, comment
    case beforeValue, value, valueEscape, singleQuoted, doubleQuoted, doubleQuotedEscape
  }

  private let file: String
  private var state = State.beforeKey
  private var line = 1
  private var startLine = 1
  private var key: [UInt8] = []
  private var value: [UInt8] = []
  /// Length of the value up to its last character that is not a trailing blank.
  private var keep = 0
  private var variables: [EnvironmentVariable] = []
  private var faults: [Fault] = []

  /// Later assignments of a name come later in the list and win.
  static func read(_ bytes: [UInt8], file: String) -> (variables: [EnvironmentVariable], faults: [Fault]) {
    var reader = EnvironmentFile(file: file)
    var previous: UInt8 = 0
    for byte in bytes {
      // CRLF is one line end.
      if !(byte == 0x0A && previous == 0x0D) { reader.take(byte == 0x0D ? 0x0A : byte) }
      previous = byte
    }
    reader.end()
    return (reader.variables, reader.faults)
  }

  private init(file: String) {
    self.file = file
  }

  private mutating func take(_ byte: UInt8) {
    let isNewline = byte == 0x0A
    switch state {
    case .beforeKey: beginLine(byte)
    case .comment: if isNewline { state = .beforeKey }
    case .key:
      if isNewline {
        key = []
        state = .beforeKey
      } else if byte == UInt8(ascii: "=") {
        state = .beforeValue
      } else {
        key.append(byte)
      }
    case .beforeValue, .value: takeUnquoted(byte)
    case .valueEscape:
      state = .value
      if !isNewline { push(byte) }
    case .singleQuoted:
      if byte == UInt8(ascii: "'") { state = .beforeValue } else { push(byte) }
    case .doubleQuoted:
      if byte == UInt8(ascii: "\"") {
        state = .beforeValue
      } else if byte == UInt8(ascii: "\\") {
        state = .doubleQuotedEscape
      } else {
        push(byte)
      }
    case .doubleQuotedEscape:
      state = .doubleQuoted
      if isNewline { break }
      if !"\"\\`$".utf8.contains(byte) { push(UInt8(ascii: "\\")) }
      push(byte)
    }
    if isNewline { line += 1 }
  }

  private mutating func beginLine(_ byte: UInt8) {
    if byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";") {
      state = .comment
    } else if !Self.isBlank(byte) {
      startLine = line
      key = [byte]
      state = .key
      if byte == UInt8(ascii: "=") { (state, key) = (.beforeValue, []) }
    }
  }

  private mutating func takeUnquoted(_ byte: UInt8) {
    let isFresh = state == .beforeValue
    if byte == 0x0A {
      finish()
    } else if isFresh, byte == UInt8(ascii: "'") {
      state = .singleQuoted
    } else if isFresh, byte == UInt8(ascii: "\"") {
      state = .doubleQuoted
    } else if byte == UInt8(ascii: "\\") {
      state = .valueEscape
    } else if Self.isBlank(byte) {
      if !isFresh { value.append(byte) }
    } else {
      state = .value
      push(byte)
    }
  }

  private mutating func push(_ byte: UInt8) {
    value.append(byte)
    keep = value.count
  }

  private mutating func finish() {
    let name = key.dropLast(key.reversed().prefix(while: Self.isBlank).count)
    let text = value.prefix(keep)
    (key, value, keep, state) = ([], [], 0, .beforeKey)
    guard let name = String(validating: name, as: UTF8.self), let text = String(validating: text, as: UTF8.self) else {
      faults.append(Fault(file: file, line: startLine, what: "this line is not valid UTF-8"))
      return
    }
    if let variable = EnvironmentVariable(name: name, value: text) {
      variables.append(variable)
    } else if EnvironmentVariable.isValidName(name) {
      faults.append(Fault(file: file, line: startLine, what: "the value of \(name) has control characters"))
    } else {
      let advice = name.hasPrefix("export ") ? "this is no shell script: leave export out" : nil
      faults.append(
        Fault(file: file, line: startLine, what: "\(name.quoted) cannot be the name of a variable", advice: advice))
    }
  }

  private mutating func end() {
    switch state {
    case .beforeKey, .key, .comment: break
    case .singleQuoted, .doubleQuoted, .doubleQuotedEscape:
      faults.append(Fault(file: file, line: startLine, what: "a quote is not closed at the end of the file"))
    case .beforeValue, .value, .valueEscape: finish()
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0A).contains(byte) || byte == 0x0D
  }
}
