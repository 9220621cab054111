internal import Mediator

/// Reads single values of our keys; each problem names the value and what is accepted instead.
enum ValueParser {
  struct Problem: Error, Equatable {
    var what: String
    var advice: String?
  }

  /// As systemd's booleans.
  static func boolean(_ text: String) throws(Problem) -> Bool {
    switch text.lowercased() {
    case "1", "yes", "y", "true", "t", "on": return true
    case "0", "no", "n", "false", "f", "off": return false
    default: throw Problem(what: "\(text.quoted) is neither yes nor no", advice: "write yes or no")
    }
  }

  /// A limit: more than nothing, possibly without end.
  static func timeout(_ text: String) throws(Problem) -> TimeSpan {
    let span = try span(text)
    if span == .microseconds(0) {
      throw Problem(
        what: "0 is no time limit: \(text.quoted) would end everything at once",
        advice: "write a time such as 30s, or infinity for no limit")
    }
    return span
  }

  /// A delay: possibly nothing, never without end.
  static func delay(_ text: String) throws(Problem) -> TimeSpan {
    let span = try span(text)
    if span == .infinity {
      throw Problem(what: "\(text.quoted) would never end", advice: "write a time such as 5s, or 0")
    }
    return span
  }

  /// From one time to the next: more than nothing, never without end.
  static func interval(_ text: String) throws(Problem) -> TimeSpan {
    let span = try span(text)
    let advice = "write a time such as 10s"
    if span == .microseconds(0) { throw Problem(what: "\(text.quoted) is no interval", advice: advice) }
    if span == .infinity { throw Problem(what: "\(text.quoted) would never come round", advice: advice) }
    return span
  }

  /// Any time, also nothing and without end.
  static func span(_ text: String) throws(Problem) -> TimeSpan {
    do throws(TimeSpan.Problem) {
      return try TimeSpan(parsing: text)
    } catch {
      switch error {
      case .empty: throw Problem(what: "there is no time", advice: "write a time such as 30s")
      case .negative: throw Problem(what: "\(text.quoted) is negative", advice: "write a time such as 30s")
      case .tooLarge: throw Problem(what: "\(text.quoted) is too long a time", advice: "write infinity for no limit")
      case .notATime(let part):
        throw Problem(
          what: part == text
            ? "\(text.quoted) is not a time" : "\(text.quoted) is not a time: cannot read \(part.quoted)",
          advice: "write a time such as 30s, 1min 30s or 500ms; see systemd.time(7)")
      }
    }
  }

  /// A whole number.
  static func number(_ text: String, in range: ClosedRange<Int>) throws(Problem) -> Int {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(text),
      range.contains(number)
    else {
      throw Problem(
        what: "\(text.quoted) is not a number for this",
        advice: "write one from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// One of a few words.
  static func word<Value: RawRepresentable & CaseIterable>(_ text: String, _: Value.Type, noun: String)
    throws(Problem) -> Value where Value.RawValue == String
  {
    if let value = Value(rawValue: text) { return value }
    let accepted = Value.allCases.map(\.rawValue)
    throw Problem(
      what: "\(text.quoted) is not \(noun)",
      advice: Suggestion.advice(for: text, among: accepted) ?? "it is one of \(accepted.joined(separator: ", "))")
  }

  static func absolutePath(_ text: String) throws(Problem) -> String {
    guard text.hasPrefix("/") else {
      throw Problem(what: "\(text.quoted) is not an absolute path", advice: "begin it with /")
    }
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw Problem(what: "\(text.quoted) has control characters")
    }
    return text
  }

  /// A name or number of a user or group; whether it exists is known only when the hook runs.
  static func account(_ text: String) throws(Problem) -> String {
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // The two greatest numbers mean "no user" to the kernel and to 16-bit programs.
      guard let number = UInt32(text), number != .max, number != UInt32(UInt16.max) else {
        throw Problem(what: "\(text.quoted) is not a number of a user or group")
      }
      return text
    }
    let odd = text.utf8.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
    if odd || text.hasPrefix("-") || text.utf8.count > 256 || text == "." || text == ".." {
      throw Problem(what: "\(text.quoted) cannot be the name of a user or group")
    }
    return text
  }
}
