/// Reads the syntax of systemd.syntax(7) from bytes and goes on after every fault; it knows no keys.
///
/// As systemd 252 does: a line that ends in an odd number of backslashes continues, the backslash becomes a blank;
/// comment lines never continue and may stand inside a continuation; an empty line ends a value. Stricter than systemd:
/// NUL, a carriage return inside a line, invalid UTF-8 outside comments, and a blank after the last backslash are
/// faults.
struct UnitReader {
  /// More faults than this in one file are not listed one by one: such a file is not a unit file.
  static let faultLimit = 1_000

  private let file: String
  private var unit = UnitFile()
  private var faults: [Fault] = []
  private var omitted = 0
  /// The value under way, and the line on which it began.
  private var pending: (text: [UInt8], line: Int)?

  static func read(_ bytes: [UInt8], file: String) -> (unit: UnitFile, faults: [Fault]) {
    var reader = UnitReader(file: file)
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      reader.fault(1, "this is UTF-16", advice: "save the file as UTF-8")
      return (reader.unit, reader.faults)
    }
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    var number = 0
    while !rest.isEmpty {
      number += 1
      let end = rest.firstIndex(of: newline) ?? rest.endIndex
      var line = rest[rest.startIndex..<end]
      rest = end == rest.endIndex ? [] : rest[(end + 1)...]
      if line.last == carriageReturn { line = line.dropLast() }
      reader.take(line, number)
    }
    if let last = reader.pending { reader.statement(last.text[...], last.line) }
    if reader.omitted > 0 {
      reader.faults.append(Fault(file: file, line: nil, what: "\(reader.omitted) further faults are not listed"))
    }
    return (reader.unit, reader.faults)
  }

  private init(file: String) {
    self.file = file
  }

  /// One physical line without its line end.
  private mutating func take(_ line: ArraySlice<UInt8>, _ number: Int) {
    if line.contains(0) {
      fault(number, "a NUL byte stands in this line", advice: "is this a text file?")
      return
    }
    if line.contains(Self.carriageReturn) {
      fault(number, "a carriage return stands inside this line", advice: "end lines with LF or CRLF")
      return
    }
    if let first = line.first(where: { !Self.isBlank($0) }), first == hash || first == semicolon { return }
    var text = line
    if let blanks = Self.blanksAfterBackslash(line) {
      let name = blanks == 1 ? "a blank follows" : "\(blanks) blanks follow"
      fault(number, "\(name) the backslash at the end of the line", advice: "remove the blank to continue the line")
      text = line.dropLast(blanks)
    }
    let continues = Self.endsInBackslash(text)
    if continues { text = text.dropLast() }
    let start = pending?.line ?? number
    var joined = pending?.text ?? []
    // Gives up the second reference, so that a long continuation is not copied with every line.
    pending = nil
    joined += text
    if continues {
      joined.append(UInt8(ascii: " "))
      pending = (joined, start)
    } else {
      statement(joined[...], start)
    }
  }

  /// One whole statement: blank, a section header or an assignment.
  private mutating func statement(_ bytes: ArraySlice<UInt8>, _ line: Int) {
    let stripped = Self.strip(bytes)
    if stripped.isEmpty { return }
    guard let text = String(validating: stripped, as: UTF8.self) else {
      fault(line, "this line is not valid UTF-8", advice: "save the file as UTF-8")
      return
    }
    if stripped.first == UInt8(ascii: "[") {
      header(text, line)
    } else {
      assignment(text, line)
    }
  }

  private mutating func header(_ text: String, _ line: Int) {
    guard text.utf8.last == UInt8(ascii: "]") else {
      let closed = text.utf8.contains(UInt8(ascii: "]"))
      fault(
        line, "the section header \(text.quoted) does not end in ]",
        advice: closed ? "a comment needs a line of its own" : nil)
      unit.sections.append(.init(name: text.sectionNameGuess, file: file, line: line))
      return
    }
    let name = String(text.dropFirst().dropLast())
    if name.isEmpty { fault(line, "the section header has no name") }
    unit.sections.append(.init(name: name, file: file, line: line))
  }

  private mutating func assignment(_ text: String, _ line: Int) {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      fault(line, "there is no = in \(text.quoted)", advice: "write KEY=VALUE, or # before a comment")
      return
    }
    let key = String(decoding: Self.strip(Array(text.utf8[..<equals])[...]), as: UTF8.self)
    let value = String(decoding: Self.strip(Array(text.utf8[equals...].dropFirst())[...]), as: UTF8.self)
    if key.isEmpty {
      fault(line, "there is no key before the = in \(text.quoted)")
      return
    }
    if unit.sections.isEmpty {
      fault(
        line, "\(key.clipped)= stands outside any section",
        advice: "begin the file with a section header such as [Hook]")
      return
    }
    let entry = UnitFile.Entry(key: key, value: value, file: file, line: line)
    unit.sections[unit.sections.endIndex - 1].entries.append(entry)
  }

  private mutating func fault(_ line: Int, _ what: String, advice: String? = nil) {
    if faults.count < Self.faultLimit {
      faults.append(Fault(file: file, line: line, what: what, advice: advice))
    } else {
      omitted += 1
    }
  }
}

extension UnitReader {
  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let backslash = UInt8(ascii: "\\")
  private var hash: UInt8 { UInt8(ascii: "#") }
  private var semicolon: UInt8 { UInt8(ascii: ";") }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func endsInBackslash(_ line: ArraySlice<UInt8>) -> Bool {
    line.reversed().prefix { $0 == backslash }.count % 2 == 1
  }

  /// How many blanks follow a backslash that was meant to continue the line; nil when there is none such.
  private static func blanksAfterBackslash(_ line: ArraySlice<UInt8>) -> Int? {
    let blanks = line.reversed().prefix(while: isBlank).count
    return blanks > 0 && endsInBackslash(line.dropLast(blanks)) ? blanks : nil
  }

  private static func strip(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let head = bytes.drop(while: isBlank)
    return head.dropLast(head.reversed().prefix(while: isBlank).count)
  }
}

extension String {
  /// The name that a broken header most likely meant, so that its keys are not reported as well.
  fileprivate var sectionNameGuess: String { String(dropFirst().prefix { $0 != "]" }) }
}
