/// The text of STATUS: one line, at most 512 bytes, no control characters.
///
/// systemd drops a whole datagram that is too long, READY with it, so the limit is kept wherever the text comes from.
package enum StatusText {
  package static let limit = 512

  package static func clean(_ text: String) -> String {
    if text.utf8.count <= limit, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var cleaned = ""
    var size = 0
    for character in text {
      let safe = character.unicodeScalars.contains(where: isUnsafe) ? blanked(character) : String(character)
      size += safe.utf8.count
      if size > limit { break }
      cleaned += safe
    }
    return cleaned
  }

  private static func blanked(_ character: Character) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: character.unicodeScalars.map { isUnsafe($0) ? " " : $0 })
    return String(scalars)
  }

  /// Control characters, line and paragraph separators, and what turns the direction of the text around.
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFF9...0xFFFB,
      0xE0000...0xE007F:
      true
    default: false
    }
  }
}
