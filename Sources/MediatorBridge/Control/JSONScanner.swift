/// Looks through JSON (RFC 8259) from strangers: checks all of it, builds nothing, and cuts out what is wanted.
///
/// Foundation's reader builds a tree first, whose size and cost the sender chooses: 64 KiB of `[1,1,1…` took it 9 ms,
/// and take 0.3 ms here. A piece is also handed on as it came, with its numbers as they were written.
package struct JSONScanner {
  package enum Fault: Error, Hashable { case syntax, tooDeep }

  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONPiece
  }

  /// Arrays and objects inside each other.
  static let mostLevels = 32

  private let bytes: ArraySlice<UInt8>
  private var index: Int

  private init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  /// The members of an object, in order, as often as they occur; nil for another value.
  ///
  /// - Parameter text: one whole value, in valid UTF-8.
  package static func members(of text: ArraySlice<UInt8>) throws(Fault) -> [Member]? {
    var scanner = JSONScanner(text)
    scanner.skipSpace()
    var members: [Member]? = scanner.next == UInt8(ascii: "{") ? [] : nil
    if members == nil {
      try scanner.skipValue(level: 0)
    } else {
      try scanner.skipObject(level: 0) { members?.append($0) }
    }
    scanner.skipSpace()
    guard scanner.next == nil else { throw .syntax }
    return members
  }

  private var next: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func skipValue(level: Int) throws(Fault) {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): try skipObject(level: level)
    case UInt8(ascii: "["): try skipArray(level: level)
    case UInt8(ascii: "\""): try skipString()
    case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"): try skipNumber()
    default: try skipWord()
    }
  }

  private mutating func skipArray(level: Int) throws(Fault) {
    guard level < Self.mostLevels else { throw .tooDeep }
    index += 1
    if take("]") { return }
    repeat { try skipValue(level: level + 1) } while take(",")
    guard take("]") else { throw .syntax }
  }

  private mutating func skipObject(level: Int, _ found: (Member) -> Void = { _ in }) throws(Fault) {
    guard level < Self.mostLevels else { throw .tooDeep }
    index += 1
    if take("}") { return }
    repeat {
      skipSpace()
      let start = index
      guard next == UInt8(ascii: "\"") else { throw .syntax }
      try skipString()
      let key = JSONPiece(bytes: bytes[start..<index])
      guard take(":") else { throw .syntax }
      skipSpace()
      let valueStart = index
      try skipValue(level: level + 1)
      if level == 0 {
        guard let key = key.string else { throw .syntax }
        found(Member(key: key, value: JSONPiece(bytes: bytes[valueStart..<index])))
      }
    } while take(",")
    guard take("}") else { throw .syntax }
  }

  private mutating func skipString() throws(Fault) {
    index += 1
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\\"): try skipEscape()
      case ..<0x20: throw .syntax
      default: break
      }
    }
    throw .syntax
  }

  private mutating func skipEscape() throws(Fault) {
    guard let byte = next else { throw .syntax }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard let digit = next, Self.isHexadecimal(digit) else { throw .syntax }
        index += 1
      }
    default: throw .syntax
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  private mutating func skipNumber() throws(Fault) {
    if next == UInt8(ascii: "-") { index += 1 }
    let start = index
    let digits = skipDigits()
    guard digits == 1 || digits > 1 && bytes[start] != UInt8(ascii: "0") else { throw .syntax }
    if next == UInt8(ascii: ".") {
      index += 1
      guard skipDigits() > 0 else { throw .syntax }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      guard skipDigits() > 0 else { throw .syntax }
    }
  }

  private mutating func skipDigits() -> Int {
    let start = index
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    return index - start
  }

  private mutating func skipWord() throws(Fault) {
    for word in ["true", "false", "null"] where bytes[index...].starts(with: word.utf8) {
      index += word.utf8.count
      return
    }
    throw .syntax
  }
}
