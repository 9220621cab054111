extension TimeSpan {
  /// Short enough for a table: three digits below a second, then milliseconds, then seconds.
  ///
  /// For example "45us", "1.25ms", "4.204s", "3min 20s".
  static func brief(_ microseconds: UInt64) -> String {
    switch microseconds {
    case 0..<1_000: return "\(microseconds)us"
    case 1_000..<1_000_000:
      return fraction(microseconds, of: 1_000, digits: microseconds < 10_000 ? 2 : microseconds < 100_000 ? 1 : 0)
        + "ms"
    case 1_000_000..<60_000_000: return fraction(microseconds, of: 1_000_000, digits: 3) + "s"
    case 60_000_000..<3_600_000_000: return TimeSpan.microseconds(microseconds / 1_000_000 * 1_000_000).description
    default: return TimeSpan.microseconds(microseconds / 60_000_000 * 60_000_000).description
    }
  }

  /// Without zeros at the end; what is left over is cut off, so that 999.9 ms are no second.
  private static func fraction(_ value: UInt64, of unit: UInt64, digits: Int) -> String {
    var rest = value % unit
    var text = ""
    var weight = unit / 10
    for _ in 0..<digits {
      text += "\(rest / weight)"
      rest %= weight
      weight /= 10
    }
    while text.last == "0" { text.removeLast() }
    return text.isEmpty ? "\(value / unit)" : "\(value / unit).\(text)"
  }
}
