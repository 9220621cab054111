/// The C escapes of systemd.syntax(7): `\a \b \f \n \r \t \v \\ \" \' \s \xHH \NNN \uHHHH \UHHHHHHHH`.
enum CEscape {
  /// The escape at the beginning of `bytes`, which starts with a backslash; nil if systemd has no such escape.
  static func decode(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
    guard let letter = bytes.dropFirst().first else { return nil }
    switch letter {
    case UInt8(ascii: "a"): return ([0x07], 2)
    case UInt8(ascii: "b"): return ([0x08], 2)
    case UInt8(ascii: "f"): return ([0x0C], 2)
    case UInt8(ascii: "n"): return ([0x0A], 2)
    case UInt8(ascii: "r"): return ([0x0D], 2)
    case UInt8(ascii: "t"): return ([0x09], 2)
    case UInt8(ascii: "v"): return ([0x0B], 2)
    case UInt8(ascii: "s"): return ([0x20], 2)
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): return ([letter], 2)
    case UInt8(ascii: "x"): return number(bytes.dropFirst(2), digits: 2, radix: 16).flatMap { byte($0, length: 4) }
    case UInt8(ascii: "u"): return number(bytes.dropFirst(2), digits: 4, radix: 16).flatMap { scalar($0, length: 6) }
    case UInt8(ascii: "U"): return number(bytes.dropFirst(2), digits: 8, radix: 16).flatMap { scalar($0, length: 10) }
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      return number(bytes.dropFirst(1), digits: 3, radix: 8).flatMap { byte($0, length: 4) }
    default: return nil
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>, digits: Int, radix: Int) -> UInt32? {
    let text = bytes.prefix(digits)
    guard text.count == digits, text.first != UInt8(ascii: "+") else { return nil }
    return UInt32(String(decoding: text, as: UTF8.self), radix: radix)
  }

  private static func byte(_ value: UInt32, length: Int) -> (bytes: [UInt8], length: Int)? {
    (1...255).contains(value) ? ([UInt8(value)], length) : nil
  }

  private static func scalar(_ value: UInt32, length: Int) -> (bytes: [UInt8], length: Int)? {
    guard value != 0, let scalar = Unicode.Scalar(value) else { return nil }
    return (Array(String(Character(scalar)).utf8), length)
  }
}
