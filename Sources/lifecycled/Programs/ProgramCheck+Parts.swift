/// What stands behind the colon of a check: addresses, paths, expressions and numbers, with what is wrong in them.
internal import Glibc

extension ProgramCheck {
  static func tcp(_ text: String) throws(ValueParser.Problem) -> ProgramCheck {
    let (host, port) = try address(text, form: Kind.tcp.form)
    guard let port else {
      throw .init(
        what: "there is no port in \(text.quoted)", advice: "write \(Kind.tcp.form), such as tcp:127.0.0.1:80")
    }
    return .tcp(host: host, port: port)
  }

  static func http(_ text: String) throws(ValueParser.Problem) -> ProgramCheck {
    let form = Kind.http.form
    guard text.hasPrefix("//") else {
      throw .init(what: "\("http:\(text)".quoted) is not how this check is written", advice: "write \(form)")
    }
    let rest = text.dropFirst(2)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let authority = String(rest[..<end])
    if authority.contains("@") {
      throw .init(what: "a user in \(authority.quoted) is not supported", advice: "write exec curl with --user")
    }
    let (host, port) = try address(authority, form: form)
    let path = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/\(rest[end...])"
    // What a request line cannot hold would make two requests of it.
    guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !path.contains("#") else {
      throw .init(
        what: "the path \(path.quoted) has a character that stands in no request",
        advice: "write it as %XX, and in a file as %%XX")
    }
    return .http(host: host, port: port ?? 80, path: path)
  }

  /// `HOST`, `HOST:PORT` or, with the address of IPv6, `[HOST]:PORT`.
  private static func address(_ text: String, form: String) throws(ValueParser.Problem) -> (host: String, port: UInt16?)
  {
    var host = text
    var port: String?
    if text.hasPrefix("[") {
      guard let close = text.firstIndex(of: "]") else {
        throw .init(what: "the bracket in \(text.quoted) is not closed", advice: "write [::1]:PORT")
      }
      host = String(text[text.index(after: text.startIndex)..<close])
      let rest = text[text.index(after: close)...]
      guard isIPv6(host), rest.isEmpty || rest.hasPrefix(":") else {
        throw .init(what: "\(text.quoted) has no IPv6 address in its brackets", advice: "write [::1]:PORT")
      }
      if !rest.isEmpty { port = String(rest.dropFirst()) }
    } else {
      if let colon = text.lastIndex(of: ":") {
        (host, port) = (String(text[..<colon]), String(text[text.index(after: colon)...]))
      }
      if isIPv6(text) || isIPv6(host) {
        throw .init(what: "the IPv6 address \(text.quoted) needs brackets", advice: "write [::1]:PORT")
      }
      guard isHost(host) else {
        throw .init(what: "there is no host in \(text.quoted)", advice: "write \(form), such as 127.0.0.1:80")
      }
    }
    guard let port else { return (host, nil) }
    guard port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = UInt16(port),
      number > 0
    else { throw .init(what: "\(port.quoted) is not a port", advice: "ports go from 1 to 65535") }
    return (host, number)
  }

  private static func isHost(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// With or without a zone, such as `fe80::1%eth0`.
  private static func isIPv6(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }) else { return false }
    var address = in6_addr()
    return unsafe inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1
  }

  static func socketPath(_ text: String) throws(ValueParser.Problem) -> String {
    // sun_path of unix(7) has 108 bytes; a path ends with a NUL, the @ of an abstract name stands for one.
    let isAbstract = text.hasPrefix("@")
    guard isAbstract || text.hasPrefix("/") else {
      throw .init(what: "\(text.quoted) is no socket", advice: "write unix:/PATH, or unix:@NAME for an abstract one")
    }
    if text == "@" { throw .init(what: "there is no name after the @", advice: "write unix:@NAME") }
    let longest = isAbstract ? 108 : 107
    guard text.utf8.count <= longest else {
      throw .init(what: "\(text.quoted) is too long for a socket", advice: "at most \(longest) bytes, see unix(7)")
    }
    if isAbstract {
      if Escaped.text(text) != text { throw .init(what: "\(text.quoted) has control characters") }
      return text
    }
    return try ValueParser.absolutePath(text)
  }

  static func pattern(_ text: String) throws(ValueParser.Problem) -> String {
    if text.isEmpty { throw .init(what: "there is no expression after log:", advice: "write log:REGEX") }
    // It is read by recursion.
    guard text.utf8.count <= 1_000 else {
      throw .init(what: "\(text.quoted) is too long an expression", advice: "at most 1000 bytes are read")
    }
    do {
      _ = try Regex(text)
    } catch {
      throw .init(what: "\(text.quoted) is not a regular expression: \(error)".firstLine)
    }
    return text
  }

  static func descriptor(_ text: String) throws(ValueParser.Problem) -> Int32 {
    let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, let number = Int32(text), (3...255).contains(number) else {
      let isStandard = ["0", "1", "2"].contains(text)
      throw .init(
        what: isStandard
          ? "\(text) is the program's standard \(["input", "output", "error"][Int(text) ?? 0])"
          : "\(text.quoted) is not a descriptor for this",
        advice: "write fd:N with a number from 3 to 255")
    }
    return number
  }
}

extension String {
  /// An error's own words may go on for lines.
  fileprivate var firstLine: String { String(prefix { !$0.isNewline }) }
}
