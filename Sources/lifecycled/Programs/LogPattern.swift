/// The regular expression of a `log:` check, compiled once.
// Regex is not Sendable because one that is built of Swift code may hold closures. One of text holds none, and changes
// no more after its first match.
struct LogPattern: @unchecked Sendable {
  /// Why a text is no regular expression.
  struct Problem: Error, Equatable {
    var what: String
  }

  private let regex: Regex<AnyRegexOutput>

  init(_ text: String) throws(Problem) {
    do {
      let written = try Regex(text)
      regex = ((try? Self.withoutLead(text).map { try Regex($0) }) ?? written).matchingSemantics(.unicodeScalar)
    } catch {
      throw Problem(what: "\(error)")
    }
    // A regular expression is translated at its first match.
    _ = matches([])
  }

  /// For the reader of the configuration; nil when the text is a regular expression.
  static func problem(in text: String) -> String? {
    do throws(Problem) {
      _ = try LogPattern(text)
      return nil
    } catch {
      return error.what
    }
  }

  /// Whether it matches anywhere in a line; bytes that are not UTF-8 are U+FFFD to it.
  func matches(_ line: some Collection<UInt8>) -> Bool {
    ((try? regex.firstMatch(in: String(decoding: line, as: UTF8.self))) ?? nil) != nil
  }

  /// The pattern with a `.*` at its beginning left out, and a `.+` made a `.`; nil when there is none.
  ///
  /// It matches in the same lines. As written, Swift's engine tries every end for every beginning, and needs 4 s for a
  /// line of 8,000 bytes.
  private static func withoutLead(_ text: String) -> String? {
    var (options, rest) = ("", text[...])
    if text.hasPrefix("(?"), let end = text.firstIndex(of: ")"), text[..<end].dropFirst(2).allSatisfy("ims".contains) {
      options = String(text[...end])
      rest = text[end...].dropFirst()
    }
    guard rest.hasPrefix(".*") || rest.hasPrefix(".+") else { return nil }
    let head = rest.hasPrefix(".+") ? "." : ""
    rest = rest.dropFirst(2)
    if rest.hasPrefix("?") { rest = rest.dropFirst() }
    if let next = rest.first, "*+?{".contains(next) { return nil }
    return options + head + rest
  }
}
