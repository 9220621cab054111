/// A value that was read from a file, with the line it begins on.
struct LocatedValue: Sendable {
  enum Content: Sendable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case list([LocatedValue])
    /// In the order of the file; a key that stands there twice is there twice.
    case table([Member])
    /// Something that no listener file has a use for: what it is, with its article.
    case other(String)
  }

  struct Member: Sendable {
    var key: String
    /// The line of the key.
    var line: Int?
    var value: LocatedValue
  }

  /// Counted from 1; nil in a binary file, which has no lines.
  var line: Int?
  var content: Content

  /// What it is, with its article, for a complaint.
  var kind: String {
    switch content {
    case .text: "a string"
    case .number: "a number"
    case .flag: "a truth value"
    case .list: "an array"
    case .table: "a dictionary"
    case .other(let kind): kind
    }
  }
}

extension LocatedValue {
  /// Values inside values, at most; deeper ones would cost the thread its stack.
  static let mostLevels = 32

  /// Reads a property list (XML or binary) or JSON, whichever it is.
  static func read(_ bytes: [UInt8]) throws(RegistryFault) -> LocatedValue {
    if bytes.starts(with: BinaryListReader.magic) { return try BinaryListReader.read(bytes) }
    let text = Array(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...])
    if let line = firstLineThatIsNotUTF8(text) {
      throw RegistryFault(line: line, what: "this is not UTF-8", advice: "save the file as UTF-8")
    }
    guard let first = text.first(where: { !isSpace($0) }) else {
      throw RegistryFault(what: "the file is empty", advice: "list the ids of the listeners")
    }
    return first == UInt8(ascii: "<") ? try XMLListReader.read(text) : try JSONReader.read(text)
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func firstLineThatIsNotUTF8(_ bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    // No byte of a longer character is a line feed, so each line can be looked at alone.
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    return (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0) + 1
  }
}
