/// Takes one word after the other from a value, with systemd's quotes and C escapes.
///
/// Quotes may begin inside a word. An escape that systemd does not know stays as it is, backslash included, and is
/// reported in `Word.unknownEscapes`.
struct WordExtractor {
  struct Word: Equatable {
    var text: String
    var unknownEscapes: [String] = []
  }

  enum Problem: Error, Equatable {
    case unclosedQuote(Character)
    case notUTF8
  }

  /// What has not been taken yet, without leading blanks.
  private(set) var rest: ArraySlice<UInt8>

  init(_ text: String) {
    rest = Array(text.utf8)[...]
    skipBlanks()
  }

  /// Takes `token` if it stands here as a word of its own, unquoted.
  mutating func takeLone(_ token: String) -> Bool {
    let bytes = Array(token.utf8)
    guard rest.starts(with: bytes) else { return false }
    let after = rest.dropFirst(bytes.count)
    guard after.first.map(Self.isBlank) ?? true else { return false }
    rest = after
    skipBlanks()
    return true
  }

  mutating func next() throws(Problem) -> Word? {
    guard !rest.isEmpty else { return nil }
    var out: [UInt8] = []
    var unknown: [String] = []
    var quote: UInt8?
    while let byte = rest.first {
      if quote == nil, Self.isBlank(byte) { break }
      if byte == UInt8(ascii: "\\") {
        takeEscape(into: &out, unknown: &unknown)
        continue
      }
      rest.removeFirst()
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else {
        out.append(byte)
      }
    }
    skipBlanks()
    if let quote { throw .unclosedQuote(Character(Unicode.Scalar(quote))) }
    guard let text = String(validating: out, as: UTF8.self) else { throw .notUTF8 }
    return Word(text: text, unknownEscapes: unknown)
  }

  private mutating func takeEscape(into out: inout [UInt8], unknown: inout [String]) {
    if let escape = CEscape.decode(rest) {
      out += escape.bytes
      rest = rest.dropFirst(escape.length)
      return
    }
    let kept = rest.prefix(2)
    // Only the backslash is taken: what follows it may be the first byte of a longer character, or a quote.
    out.append(rest.removeFirst())
    unknown.append(String(decoding: kept.prefix { $0 < 0x80 }, as: UTF8.self))
    if let next = rest.first, next < 0x80 {
      out.append(next)
      rest.removeFirst()
    }
  }

  private mutating func skipBlanks() { rest = rest.drop(while: Self.isBlank) }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0A).contains(byte) || byte == 0x0D
  }
}
