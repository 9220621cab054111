/// Reads an XML property list and keeps the line of each value, which Foundation's reader does not.
struct XMLListReader {
  private enum Token {
    case start(String, isEmpty: Bool)
    case close(String)
    case text(String)
    case end
  }

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  /// Where the last token began.
  private var tokenLine = 1

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// - Parameter bytes: valid UTF-8.
  static func read(_ bytes: [UInt8]) throws(RegistryFault) -> LocatedValue {
    var reader = XMLListReader(bytes)
    var token = try reader.significant()
    var isWrapped = false
    if case .start("plist", let isEmpty) = token {
      if isEmpty { throw RegistryFault(line: reader.tokenLine, what: "the property list is empty") }
      isWrapped = true
      token = try reader.significant()
    }
    let value = try reader.value(token, level: 0)
    if isWrapped { try reader.expectClose("plist") }
    guard case .end = try reader.significant() else { throw reader.fault("there is something after the end") }
    return value
  }

  private func fault(_ what: String, _ advice: String = "") -> RegistryFault {
    RegistryFault(line: tokenLine, what: "syntax: \(what)", advice: advice)
  }

  // MARK: Values

  private mutating func value(_ token: Token, level: Int) throws(RegistryFault) -> LocatedValue {
    let line = tokenLine
    guard level < LocatedValue.mostLevels else { throw fault("too many arrays or dictionaries inside each other") }
    guard case .start(let name, let isEmpty) = token else {
      throw fault("there is \(Self.words(token)) where a value should be")
    }
    switch name {
    case "array": return LocatedValue(line: line, content: .list(isEmpty ? [] : try elements(level)))
    case "dict": return LocatedValue(line: line, content: .table(isEmpty ? [] : try members(level)))
    default: break
    }
    let text = isEmpty ? "" : try text(of: name)
    switch name {
    case "string": return LocatedValue(line: line, content: .text(text))
    case "true": return LocatedValue(line: line, content: .flag(true))
    case "false": return LocatedValue(line: line, content: .flag(false))
    case "date": return LocatedValue(line: line, content: .other("a date"))
    case "data": return LocatedValue(line: line, content: .other("data"))
    case "integer", "real":
      let digits = text.split(whereSeparator: \.isWhitespace).joined()
      guard let number = Double(digits) else {
        throw RegistryFault(line: line, what: "syntax: \(RegistryFault.quoted(text)) is no number")
      }
      return LocatedValue(line: line, content: .number(number))
    default:
      throw RegistryFault(
        line: line, what: "syntax: <\(name)> is no element of a property list",
        advice: "there are array, dict, string, integer, real, true and false")
    }
  }

  private mutating func elements(_ level: Int) throws(RegistryFault) -> [LocatedValue] {
    var elements: [LocatedValue] = []
    while true {
      let token = try significant()
      if case .close("array") = token { return elements }
      elements.append(try value(token, level: level + 1))
    }
  }

  private mutating func members(_ level: Int) throws(RegistryFault) -> [LocatedValue.Member] {
    var members: [LocatedValue.Member] = []
    while true {
      let token = try significant()
      if case .close("dict") = token { return members }
      guard case .start("key", let isEmpty) = token else {
        throw fault("there is \(Self.words(token)) where a <key> should be")
      }
      let line = tokenLine
      let key = isEmpty ? "" : try text(of: "key")
      members.append(LocatedValue.Member(key: key, line: line, value: try value(significant(), level: level + 1)))
    }
  }

  private mutating func text(of name: String) throws(RegistryFault) -> String {
    var text = ""
    while true {
      switch try token() {
      case .text(let part): text += part
      case .close(name): return text
      case let other: throw fault("there is \(Self.words(other)) inside <\(name)>")
      }
    }
  }

  private mutating func expectClose(_ name: String) throws(RegistryFault) {
    let token = try significant()
    guard case .close(name) = token else { throw fault("there is \(Self.words(token)) where </\(name)> should be") }
  }

  private static func words(_ token: Token) -> String {
    switch token {
    case .start(let name, _): "<\(name)>"
    case .close(let name): "</\(name)>"
    case .text(let text): RegistryFault.quoted(text)
    case .end: "the end of the file"
    }
  }
}

// MARK: - Tokens

extension XMLListReader {
  /// The next token that is not white space between elements.
  private mutating func significant() throws(RegistryFault) -> Token {
    while true {
      let token = try token()
      guard case .text(let text) = token, text.utf8.allSatisfy(LocatedValue.isSpace) else { return token }
    }
  }

  private func sees(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  private mutating func advance(_ count: Int) {
    for byte in bytes[index..<index + count] where byte == 0x0A { line += 1 }
    index += count
  }

  /// Takes what is before the mark, and the mark.
  private mutating func take(until mark: String, of what: String) throws(RegistryFault) -> String {
    let mark = Array(mark.utf8)
    var end = index
    while end < bytes.count, bytes[end] != mark[0] || !bytes[end...].starts(with: mark) { end += 1 }
    guard end < bytes.count else { throw fault("\(what) does not end") }
    let text = String(decoding: bytes[index..<end], as: UTF8.self)
    advance(end - index + mark.count)
    return text
  }

  private mutating func token() throws(RegistryFault) -> Token {
    while index < bytes.count {
      tokenLine = line
      if sees("<!--") {
        advance(4)
        _ = try take(until: "-->", of: "a comment")
      } else if sees("<?") {
        _ = try take(until: "?>", of: "a processing instruction")
      } else if sees("<![CDATA[") {
        advance(9)
        return .text(try take(until: "]]>", of: "a CDATA section"))
      } else if sees("<!") {
        let declaration = try take(until: ">", of: "a declaration")
        if declaration.contains("[") { throw fault("declarations of one's own", "take [ and ] away from <!DOCTYPE>") }
      } else if sees("</") {
        advance(2)
        let name = try take(until: ">", of: "a tag")
        return .close(String(name.prefix { !$0.isWhitespace }))
      } else if sees("<") {
        return try tag()
      } else {
        return .text(try characters())
      }
    }
    tokenLine = line
    return .end
  }

  /// A > in an attribute's value does not end the tag; what attributes there are means nothing.
  private mutating func tag() throws(RegistryFault) -> Token {
    var quote: UInt8?
    var end = index + 1
    while end < bytes.count, quote != nil || bytes[end] != UInt8(ascii: ">") {
      if let open = quote {
        if bytes[end] == open { quote = nil }
      } else if bytes[end] == UInt8(ascii: "\"") || bytes[end] == UInt8(ascii: "'") {
        quote = bytes[end]
      } else if bytes[end] == UInt8(ascii: "<") {
        throw fault("a tag does not end")
      }
      end += 1
    }
    guard end < bytes.count else { throw fault("a tag does not end") }
    let content = String(decoding: bytes[index + 1..<end], as: UTF8.self)
    advance(end - index + 1)
    let name = content.prefix { !$0.isWhitespace && $0 != "/" }
    guard !name.isEmpty else { throw fault("a tag has no name", "write &lt; for <") }
    return .start(String(name), isEmpty: content.hasSuffix("/"))
  }

  private mutating func characters() throws(RegistryFault) -> String {
    var text: [UInt8] = []
    while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
      let byte = bytes[index]
      advance(1)
      if byte == UInt8(ascii: "&") { text += try reference().utf8 } else { text.append(byte) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func reference() throws(RegistryFault) -> String {
    let name = bytes[index...].prefix(12).prefix { $0 != UInt8(ascii: ";") }
    let isEnded = index + name.count < bytes.count && bytes[index + name.count] == UInt8(ascii: ";")
    let word = String(decoding: name, as: UTF8.self)
    guard isEnded, let text = Self.meaning(of: word) else {
      throw RegistryFault(
        line: line, what: "syntax: & stands alone, or before no known name", advice: "write &amp; for &")
    }
    advance(name.count + 1)
    return text
  }

  private static func meaning(of name: String) -> String? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard name.hasPrefix("#") else { return nil }
    let isHexadecimal = name.hasPrefix("#x")
    let code = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
    return code.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
  }
}
