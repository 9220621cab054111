/// A word as systemd.syntax(7) quotes it, so that `WordExtractor` and systemd read the same word again.
enum UnitQuoted {
  /// In double quotes if it needs any; control characters become escapes.
  static func text(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: ";"): false
      default: true
      }
    }
    if isPlain, !word.isEmpty { return word }
    return "\"" + word.unicodeScalars.map(escaped).joined() + "\""
  }

  /// The same inside `ExecStart=`, where `%` begins a specifier and `$` a variable.
  static func argument(_ word: String) -> String { doubled(["%", "$"], in: text(word)) }

  /// The same for what `ExecStart=` runs: systemd expands no variable in it.
  static func program(_ path: String) -> String { doubled(["%"], in: text(path)) }

  private static func doubled(_ scalars: Set<Unicode.Scalar>, in text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalars.contains(scalar) { out.append(scalar) }
      out.append(scalar)
    }
    return String(out)
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": return "\\n"
    case "\t": return "\\t"
    case "\"": return "\\\""
    case "\\": return "\\\\"
    default:
      guard scalar.value < 0x20 || scalar.value == 0x7F else { return String(Character(scalar)) }
      let digits = String(scalar.value, radix: 16)
      return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }
  }
}
