/// Text and numbers as SVG wants them.
enum SVGText {
  /// Safe between tags and in attributes; control characters are visible, and what XML does not know, too.
  static func escaped(_ raw: String) -> String {
    var out = ""
    for scalar in Escaped.text(raw).unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      case "\u{FFFE}", "\u{FFFF}": out += "\\u" + String(scalar.value, radix: 16)
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// With one decimal at most, whatever the locale.
  static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    let whole = "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10)"
    return tenths % 10 == 0 ? whole : "\(whole).\(abs(tenths) % 10)"
  }
}
