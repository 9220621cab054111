internal import Foundation

/// Reads JSON (RFC 8259) and keeps the line of each value, which Foundation's reader does not.
struct JSONReader {
  private var cursor: JSONCursor

  private init(_ bytes: [UInt8]) { cursor = JSONCursor(bytes[...]) }

  /// - Parameter bytes: valid UTF-8.
  static func read(_ bytes: [UInt8]) throws(RegistryFault) -> LocatedValue {
    var reader = JSONReader(bytes)
    let value = try reader.value(level: 0)
    reader.cursor.skipSpace()
    guard reader.cursor.next == nil else { throw reader.fault("there is \(reader.found) after the end") }
    return value
  }

  private var found: String {
    if cursor.next == nil { return "the end of the file" }
    let character = String(decoding: cursor.rest.prefix(16), as: UTF8.self).first
    return RegistryFault.quoted(character.map { String($0) } ?? "")
  }

  private func fault(_ what: String, _ advice: String = "") -> RegistryFault {
    RegistryFault(line: cursor.line, what: "syntax: \(what)", advice: advice)
  }

  private mutating func value(level: Int) throws(RegistryFault) -> LocatedValue {
    cursor.skipSpace()
    guard level < LocatedValue.mostLevels else { throw fault("too many arrays or dictionaries inside each other") }
    let line = cursor.line
    switch cursor.next {
    case UInt8(ascii: "{"): return LocatedValue(line: line, content: .table(try members(level)))
    case UInt8(ascii: "["): return LocatedValue(line: line, content: .list(try elements(level)))
    case UInt8(ascii: "\""): return LocatedValue(line: line, content: .text(try string()))
    case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"):
      return LocatedValue(line: line, content: .number(try number()))
    default: return LocatedValue(line: line, content: try word())
    }
  }

  private mutating func elements(_ level: Int) throws(RegistryFault) -> [LocatedValue] {
    cursor.step()
    var elements: [LocatedValue] = []
    if cursor.take("]") { return elements }
    repeat {
      if !elements.isEmpty, cursor.take("]") { throw fault("a comma stands before ]", "take the comma away") }
      elements.append(try value(level: level + 1))
    } while cursor.take(",")
    guard cursor.take("]") else { throw fault("there is \(found) where , or ] should be") }
    return elements
  }

  private mutating func members(_ level: Int) throws(RegistryFault) -> [LocatedValue.Member] {
    cursor.step()
    var members: [LocatedValue.Member] = []
    if cursor.take("}") { return members }
    repeat {
      cursor.skipSpace()
      if !members.isEmpty, cursor.take("}") { throw fault("a comma stands before }", "take the comma away") }
      guard cursor.next == UInt8(ascii: "\"") else { throw fault("there is \(found) where a key in quotes should be") }
      let line = cursor.line
      let key = try string()
      guard cursor.take(":") else { throw fault("there is \(found) where : should be") }
      members.append(LocatedValue.Member(key: key, line: line, value: try value(level: level + 1)))
    } while cursor.take(",")
    guard cursor.take("}") else { throw fault("there is \(found) where , or } should be") }
    return members
  }

  private mutating func word() throws(RegistryFault) -> LocatedValue.Content {
    let piece = try scalar { cursor throws(JSONCursor.Fault) in try cursor.skipWord() }
    return piece.flag.map { .flag($0) } ?? .other("null")
  }

  private mutating func number() throws(RegistryFault) -> Double {
    let piece = try scalar { cursor throws(JSONCursor.Fault) in try cursor.skipNumber() }
    let text = String(decoding: piece.bytes, as: UTF8.self)
    guard let number = Double(text) else { throw fault("\(RegistryFault.quoted(text)) is no number") }
    return number
  }

  private mutating func string() throws(RegistryFault) -> String {
    let piece = try scalar { cursor throws(JSONCursor.Fault) in try cursor.skipString() }
    guard let text = piece.string else { throw fault("half of a character is written with \\u") }
    return text
  }

  private mutating func scalar(
    _ skip: (inout JSONCursor) throws(JSONCursor.Fault) -> Void
  ) throws(RegistryFault) -> JSONPiece {
    let start = cursor.index
    do throws(JSONCursor.Fault) {
      try skip(&cursor)
    } catch {
      throw words(of: error, from: start)
    }
    return cursor.piece(from: start)
  }

  private func words(of trouble: JSONCursor.Fault, from start: Int) -> RegistryFault {
    switch trouble {
    case .openString: fault("the file ends inside a string")
    case .controlCharacter:
      fault("a string does not end on its line", "close the quotes, or write \\n or \\t")
    case .unknownEscape:
      fault("a backslash stands before something it does not belong to", "write \\\\ for a backslash")
    case .badHexadecimal: fault("\\u wants four hexadecimal digits")
    case .badNumber:
      fault("\(RegistryFault.quoted(String(decoding: cursor.piece(from: start).bytes, as: UTF8.self))) is no number")
    case .noValue:
      fault("there is \(found) where a value should be", cursor.next == nil ? "" : "strings stand in double quotes")
    }
  }
}
