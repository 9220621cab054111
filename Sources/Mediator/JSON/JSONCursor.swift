/// A place in a JSON text (RFC 8259): finds where strings, numbers and words end, checks them, and counts lines.
///
/// What stands between them, and what it all means, is the affair of whoever moves it.
package struct JSONCursor: Sendable {
  package enum Fault: Error, Hashable {
    /// The text ends inside a string.
    case openString
    /// A line end, for instance, inside a string.
    case controlCharacter
    case unknownEscape
    /// `\u` without four digits.
    case badHexadecimal
    /// The cursor stands behind it.
    case badNumber
    /// There is no value.
    case noValue
  }

  private let bytes: ArraySlice<UInt8>
  package private(set) var index: Int
  /// From 1; up to the last blank that was skipped.
  package private(set) var line = 1

  /// - Parameter bytes: valid UTF-8.
  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  package var next: UInt8? { index < bytes.endIndex ? bytes[index] : nil }
  package var rest: ArraySlice<UInt8> { bytes[index...] }

  /// From an earlier place up to here.
  package func piece(from start: Int) -> JSONPiece { JSONPiece(bytes: bytes[start..<index]) }

  package mutating func step() { index += 1 }

  package mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      if byte == 0x0A { line += 1 }
      index += 1
    }
  }

  /// Steps over blanks and the character, if it is there.
  package mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  /// From its quote on.
  package mutating func skipString() throws(Fault) {
    index += 1
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\\"): try skipEscape()
      case ..<0x20: throw .controlCharacter
      default: break
      }
    }
    throw .openString
  }

  private mutating func skipEscape() throws(Fault) {
    guard let byte = next else { throw .openString }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard let digit = next, Character(Unicode.Scalar(digit)).isHexDigit, digit < 0x80 else { throw .badHexadecimal }
        index += 1
      }
    default: throw .unknownEscape
    }
  }

  /// `-`, digits without a leading zero, then a fraction and an exponent if there are any.
  package mutating func skipNumber() throws(Fault) {
    if next == UInt8(ascii: "-") { index += 1 }
    let start = index
    let digits = skipDigits()
    var isGood = digits == 1 || digits > 1 && bytes[start] != UInt8(ascii: "0")
    if next == UInt8(ascii: ".") {
      index += 1
      isGood = skipDigits() > 0 && isGood
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      isGood = skipDigits() > 0 && isGood
    }
    guard isGood else { throw .badNumber }
  }

  private mutating func skipDigits() -> Int {
    let start = index
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    return index - start
  }

  /// true, false or null.
  package mutating func skipWord() throws(Fault) {
    for word in ["true", "false", "null"] where rest.starts(with: word.utf8) {
      index += word.utf8.count
      return
    }
    throw .noValue
  }
}
