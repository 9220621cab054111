/// A span of time as systemd.time(7) writes it: "1min 30s", "1.5h", "500ms", a bare number of seconds, "infinity".
enum TimeSpan: Sendable, Hashable {
  case microseconds(UInt64)
  case infinity

  enum Problem: Error, Hashable {
    case empty, negative, tooLarge
    /// The part that could not be read.
    case notATime(String)
  }

  static func seconds(_ seconds: UInt64) -> TimeSpan { .microseconds(seconds * 1_000_000) }

  /// nil for infinity.
  var duration: Duration? {
    switch self {
    case .microseconds(let count): .microseconds(Int64(clamping: count))
    case .infinity: nil
    }
  }

  func isShorter(than other: TimeSpan) -> Bool {
    switch (self, other) {
    case (.microseconds(let own), .microseconds(let others)): own < others
    case (.microseconds, .infinity): true
    case (.infinity, _): false
    }
  }

  /// Without end if that is too long to be written.
  func adding(seconds: UInt64) -> TimeSpan {
    guard case .microseconds(let count) = self else { return .infinity }
    let (sum, isTooLong) = count.addingReportingOverflow(seconds * 1_000_000)
    return isTooLong || sum == .max ? .infinity : .microseconds(sum)
  }

  init(parsing text: String) throws(Problem) {
    var rest = Array(text.utf8)[...]
    Self.skipBlanks(&rest)
    if Self.trimmed(rest).elementsEqual("infinity".utf8) {
      self = .infinity
      return
    }
    guard !rest.isEmpty else { throw .empty }
    var sum: UInt64 = 0
    while !rest.isEmpty {
      let (value, overflow) = sum.addingReportingOverflow(try Self.takeTerm(&rest))
      // The greatest value is systemd's mark for infinity.
      if overflow || value == .max { throw .tooLarge }
      sum = value
      Self.skipBlanks(&rest)
    }
    self = .microseconds(sum)
  }

  /// One number with its unit.
  private static func takeTerm(_ rest: inout ArraySlice<UInt8>) throws(Problem) -> UInt64 {
    let start = rest
    if rest.first == UInt8(ascii: "-") { throw .negative }
    if rest.first == UInt8(ascii: "+"), rest.dropFirst().first.map(isDigit) == true { rest.removeFirst() }
    let whole = rest.prefix(while: isDigit)
    rest = rest.dropFirst(whole.count)
    var fraction: ArraySlice<UInt8> = []
    if rest.first == UInt8(ascii: ".") {
      fraction = rest.dropFirst().prefix(while: isDigit)
      rest = rest.dropFirst(1 + fraction.count)
      if fraction.isEmpty { throw .notATime(shown(start)) }
    } else if whole.isEmpty {
      throw .notATime(shown(start))
    }
    let unit = try takeUnit(&rest, after: start)
    guard let number = whole.isEmpty ? 0 : UInt64(String(decoding: whole, as: UTF8.self)) else { throw .tooLarge }
    // systemd's own bound, a little under what would fit.
    if number >= .max / unit { throw .tooLarge }
    let product = number * unit
    var part: UInt64 = 0
    var weight = unit / 10
    for digit in fraction {
      if weight == 0 { break }
      part += UInt64(digit - UInt8(ascii: "0")) * weight
      weight /= 10
    }
    let (sum, sumOverflow) = product.addingReportingOverflow(part)
    if sumOverflow { throw .tooLarge }
    return sum
  }

  /// The unit in microseconds; a number without one counts seconds. A blank may stand before the unit, as in systemd.
  private static func takeUnit(_ rest: inout ArraySlice<UInt8>, after start: ArraySlice<UInt8>) throws(Problem)
    -> UInt64
  {
    let hadBlank = rest.first.map(isBlank) ?? true
    skipBlanks(&rest)
    for (name, factor) in units where rest.starts(with: name.utf8) {
      rest = rest.dropFirst(name.utf8.count)
      return factor
    }
    if !hadBlank { throw .notATime(shown(start)) }
    return 1_000_000
  }

  /// Longer names before those they begin with.
  private static let units: [(String, UInt64)] = [
    ("seconds", 1_000_000), ("second", 1_000_000), ("sec", 1_000_000), ("s", 1_000_000),
    ("minutes", 60_000_000), ("minute", 60_000_000), ("min", 60_000_000),
    ("months", 2_629_800_000_000), ("month", 2_629_800_000_000), ("M", 2_629_800_000_000),
    ("msec", 1_000), ("ms", 1_000), ("m", 60_000_000),
    ("hours", 3_600_000_000), ("hour", 3_600_000_000), ("hr", 3_600_000_000), ("h", 3_600_000_000),
    ("days", 86_400_000_000), ("day", 86_400_000_000), ("d", 86_400_000_000),
    ("weeks", 604_800_000_000), ("week", 604_800_000_000), ("w", 604_800_000_000),
    ("years", 31_557_600_000_000), ("year", 31_557_600_000_000), ("y", 31_557_600_000_000),
    ("usec", 1), ("us", 1), ("\u{B5}s", 1), ("\u{3BC}s", 1),
  ]

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0A).contains(byte) || byte == 0x0D
  }

  private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) { rest = rest.drop(while: isBlank) }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.dropLast(bytes.reversed().prefix(while: isBlank).count)
  }

  private static func shown(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: trimmed(bytes), as: UTF8.self) }
}

extension TimeSpan: CustomStringConvertible {
  /// As systemd prints it: the largest units first, "1min 30s".
  var description: String {
    guard case .microseconds(var rest) = self else { return "infinity" }
    if rest == 0 { return "0" }
    var text = ""
    let steps: [(String, UInt64)] = [
      ("w", 604_800_000_000), ("d", 86_400_000_000), ("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000),
      ("ms", 1_000), ("us", 1),
    ]
    for (name, size) in steps where rest >= size {
      text += (text.isEmpty ? "" : " ") + "\(rest / size)\(name)"
      rest %= size
    }
    return text
  }
}
