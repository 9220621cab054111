internal import Foundation

/// Reads JSON (RFC 8259) and keeps the line of each value, which Foundation's reader does not.
struct JSONReader {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// - Parameter bytes: valid UTF-8.
  static func read(_ bytes: [UInt8]) throws(RegistryFault) -> LocatedValue {
    var reader = JSONReader(bytes)
    let value = try reader.value(level: 0)
    reader.skipSpace()
    guard reader.next == nil else { throw reader.fault("there is \(reader.found) after the end") }
    return value
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private var found: String {
    guard index < bytes.count else { return "the end of the file" }
    let character = String(decoding: bytes[index...].prefix(16), as: UTF8.self).first
    return RegistryFault.quoted(character.map { String($0) } ?? "")
  }

  private func fault(_ what: String, _ advice: String = "") -> RegistryFault {
    RegistryFault(line: line, what: "syntax: \(what)", advice: advice)
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      if byte == 0x0A { line += 1 }
      index += 1
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func value(level: Int) throws(RegistryFault) -> LocatedValue {
    skipSpace()
    guard level < LocatedValue.mostLevels else { throw fault("too many arrays or dictionaries inside each other") }
    let line = line
    switch next {
    case UInt8(ascii: "{"): return LocatedValue(line: line, content: .table(try members(level)))
    case UInt8(ascii: "["): return LocatedValue(line: line, content: .list(try elements(level)))
    case UInt8(ascii: "\""): return LocatedValue(line: line, content: .text(try string()))
    case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"):
      return LocatedValue(line: line, content: .number(try number()))
    default: return LocatedValue(line: line, content: try word())
    }
  }

  private mutating func elements(_ level: Int) throws(RegistryFault) -> [LocatedValue] {
    index += 1
    var elements: [LocatedValue] = []
    if take("]") { return elements }
    repeat {
      if !elements.isEmpty, take("]") { throw fault("a comma stands before ]", "take the comma away") }
      elements.append(try value(level: level + 1))
    } while take(",")
    guard take("]") else { throw fault("there is \(found) where , or ] should be") }
    return elements
  }

  private mutating func members(_ level: Int) throws(RegistryFault) -> [LocatedValue.Member] {
    index += 1
    var members: [LocatedValue.Member] = []
    if take("}") { return members }
    repeat {
      skipSpace()
      if !members.isEmpty, take("}") { throw fault("a comma stands before }", "take the comma away") }
      guard next == UInt8(ascii: "\"") else { throw fault("there is \(found) where a key in quotes should be") }
      let line = line
      let key = try string()
      guard take(":") else { throw fault("there is \(found) where : should be") }
      members.append(LocatedValue.Member(key: key, line: line, value: try value(level: level + 1)))
    } while take(",")
    guard take("}") else { throw fault("there is \(found) where , or } should be") }
    return members
  }

  private mutating func word() throws(RegistryFault) -> LocatedValue.Content {
    let words: [(String, LocatedValue.Content)] = [
      ("true", .flag(true)), ("false", .flag(false)), ("null", .other("null")),
    ]
    for (word, content) in words where bytes[index...].starts(with: word.utf8) {
      index += word.utf8.count
      return content
    }
    throw fault("there is \(found) where a value should be", next == nil ? "" : "strings stand in double quotes")
  }

  /// `-`, digits without a leading zero, then a fraction and an exponent if there are any.
  private mutating func number() throws(RegistryFault) -> Double {
    let start = index
    if next == UInt8(ascii: "-") { index += 1 }
    let digits = takeDigits()
    var isGood = digits == 1 || (digits > 1 && bytes[index - digits] != UInt8(ascii: "0"))
    if next == UInt8(ascii: ".") {
      index += 1
      isGood = takeDigits() > 0 && isGood
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      isGood = takeDigits() > 0 && isGood
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    guard isGood, let number = Double(text) else { throw fault("\(RegistryFault.quoted(text)) is no number") }
    return number
  }

  private mutating func takeDigits() -> Int {
    let start = index
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    return index - start
  }
}

// MARK: - Strings

extension JSONReader {
  private mutating func string() throws(RegistryFault) -> String {
    index += 1
    var text: [UInt8] = []
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escape()
      case ..<0x20: throw fault("a string does not end on its line", "close the quotes, or write \\n or \\t")
      default: text.append(byte)
      }
    }
    throw fault("the file ends inside a string")
  }

  private mutating func escape() throws(RegistryFault) -> [UInt8] {
    guard let byte = next else { throw fault("the file ends inside a string") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(try scalar()).utf8)
    default: throw fault("a backslash stands before something it does not belong to", "write \\\\ for a backslash")
    }
  }

  private mutating func scalar() throws(RegistryFault) -> Character {
    var code = try hexadecimal()
    if code >> 10 == 0x36, bytes[index...].starts(with: [0x5C, 0x75]) {  // \u: the second half
      index += 2
      let low = try hexadecimal()
      if low >> 10 == 0x37 { code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF }
    }
    guard let scalar = Unicode.Scalar(code) else { throw fault("half of a character is written with \\u") }
    return Character(scalar)
  }

  private mutating func hexadecimal() throws(RegistryFault) -> UInt32 {
    let digits = bytes[index...].prefix(4)
    let isGood = digits.count == 4 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    guard isGood, let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
      throw fault("\\u wants four hexadecimal digits")
    }
    index += 4
    return code
  }
}
