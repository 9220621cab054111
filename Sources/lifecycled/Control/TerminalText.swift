internal import Mediator

/// Text in the columns of a terminal: how wide it is, cut to a width, filled up to one, or broken into lines.
///
/// All of it is made safe first, as for the log.
struct TerminalText: Equatable, Sendable {
  /// Without control characters.
  let text: String
  let width: Int

  init(_ raw: String) {
    var text = Escaped.text(raw)
    // A tab is as wide as the place lets it be.
    if text.utf8.contains(0x09) {
      text = text.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: " ")
    }
    text = Self.withoutTowers(text)
    self.text = text
    width = text.unicodeScalars.reduce(0) { $0 + Self.columns(of: $1) }
  }

  private init(safe text: String, width: Int) {
    self.text = text
    self.width = width
  }

  /// The text, or its beginning with an ellipsis, in at most so many columns.
  func cut(to limit: Int) -> TerminalText {
    if width <= limit { return self }
    if limit < 1 { return TerminalText(safe: "", width: 0) }
    let (kept, width) = Self.take(text.unicodeScalars[...], most: limit - 1)
    return TerminalText(safe: String(String.UnicodeScalarView(kept)) + "…", width: width + 1)
  }

  /// The text with blanks up to the width.
  func filled(to columns: Int) -> String { text + String(repeating: " ", count: max(0, columns - width)) }

  /// In lines of at most so many columns, broken at blanks where there are some.
  func broken(to limit: Int) -> [String] {
    let limit = max(limit, 1)
    var lines: [String] = []
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      var (line, _) = Self.take(rest, most: limit)
      // One that is wider than a line would never fit.
      if line.isEmpty { line = rest.prefix(1) }
      if line.endIndex < rest.endIndex, rest[line.endIndex] != " ", let blank = line.lastIndex(of: " "),
        blank > line.startIndex
      {
        line = line[..<blank]
      }
      lines.append(String(String.UnicodeScalarView(line)))
      rest = rest[line.endIndex...].drop { $0 == " " }
    }
    return lines
  }

  /// Without the third and later of the marks over one character: a hundred of them would cover the lines around.
  private static func withoutTowers(_ text: String) -> String {
    if text.utf8.count == text.unicodeScalars.count { return text }
    var marks = 0
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      marks = columns(of: scalar) == 0 ? marks + 1 : 0
      if marks <= 2 { kept.append(scalar) }
    }
    return String(kept)
  }

  /// The beginning that fits, with its width.
  private static func take(
    _ scalars: Substring.UnicodeScalarView, most limit: Int
  ) -> (Substring.UnicodeScalarView, Int) {
    var width = 0
    var index = scalars.startIndex
    while index < scalars.endIndex {
      let next = columns(of: scalars[index])
      if width + next > limit { break }
      width += next
      scalars.formIndex(after: &index)
    }
    return (scalars[..<index], width)
  }

  /// Of one scalar: none for marks over others, two for East Asian characters and pictures.
  private static func columns(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return isWide(scalar) ? 2 : 1
    }
  }

  /// The ranges of the classes W and F of UAX #11, in the large.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }
}
