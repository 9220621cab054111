/// The one function that makes foreign text safe for a log, for STATUS and for a terminal.
///
/// Control characters (C0, DEL, C1), bytes that are not UTF-8, line separators and characters that turn the
/// direction of
/// text become visible: `\x1b` for a byte, `\u202e` for a character. A tab stays a tab: it is harmless and common in
/// what programs print. A backslash stays too, so escaping twice changes nothing.
enum Escaped {
  static func text(_ string: String) -> String {
    var string = string
    let isPlain = string.withUTF8 { unsafe isPlainASCII($0) }
    if isPlain { return string }
    return string.withUTF8 { unsafe escape($0) }
  }

  static func text(_ bytes: some Sequence<UInt8>) -> String {
    let array = Array(bytes)
    return unsafe array.withUnsafeBufferPointer { buffer in
      unsafe isPlainASCII(buffer) ? String(decoding: buffer, as: UTF8.self) : escape(buffer)
    }
  }

  private static func isPlainASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // Without an early exit the compiler makes vectors of this.
    var odd = false
    for index in bytes.indices {
      let byte = unsafe bytes[index]
      odd = odd || ((byte < 0x20 || byte > 0x7E) && byte != 0x09)
    }
    return !odd
  }

  private static func escape(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + bytes.count / 4 + 8)
    var index = 0
    while index < bytes.count {
      let byte = unsafe bytes[index]
      if byte < 0x80 {
        if (byte < 0x20 && byte != 0x09) || byte == 0x7F {
          append(byte: byte, to: &out)
        } else {
          out.append(byte)
        }
        index += 1
        continue
      }
      guard let (scalar, length) = unsafe decode(bytes, at: index) else {
        append(byte: byte, to: &out)
        index += 1
        continue
      }
      if isDangerous(scalar) {
        append(scalar: scalar, to: &out)
      } else {
        for offset in 0..<length { out.append(unsafe bytes[index + offset]) }
      }
      index += length
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// C1, directional marks and overrides, line and paragraph separators, interlinear marks, the BOM and the tag
  /// characters.
  private static func isDangerous(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x80...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFF9...0xFFFB: true
    case 0xE0000...0xE007F: true
    default: false
    }
  }

  /// A scalar of two to four bytes; nil for anything that RFC 3629 does not allow here.
  private static func decode(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> (scalar: UInt32, length: Int)? {
    let first = unsafe bytes[index]
    let (length, smallest): (Int, UInt32) =
      switch first {
      case 0xC2...0xDF: (2, 0x80)
      case 0xE0...0xEF: (3, 0x800)
      case 0xF0...0xF4: (4, 0x10000)
      default: (0, 0)
      }
    guard length > 0, index + length <= bytes.count else { return nil }
    var scalar = UInt32(first) & (0x7F >> UInt32(length))
    for offset in 1..<length {
      let next = unsafe bytes[index + offset]
      guard next & 0xC0 == 0x80 else { return nil }
      scalar = scalar << 6 | UInt32(next & 0x3F)
    }
    guard scalar >= smallest, Unicode.Scalar(scalar) != nil else { return nil }
    return (scalar, length)
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)

  private static func append(byte: UInt8, to out: inout [UInt8]) {
    out += [UInt8(ascii: "\\"), UInt8(ascii: "x"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]]
  }

  private static func append(scalar: UInt32, to out: inout [UInt8]) {
    let long = scalar > 0xFFFF
    out += [UInt8(ascii: "\\"), UInt8(ascii: long ? "U" : "u")]
    for digit in (0..<(long ? 8 : 4)).reversed() {
      out.append(hexDigits[Int(scalar >> UInt32(digit * 4) & 0xF)])
    }
  }
}
