/// One value of a JSON text that was checked, as it was written.
package struct JSONPiece: Hashable, Sendable {
  package var bytes: ArraySlice<UInt8>

  package init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  package var isNull: Bool { bytes.elementsEqual("null".utf8) }
  package var isObject: Bool { bytes.first == UInt8(ascii: "{") }

  /// nil for anything but true and false.
  package var flag: Bool? {
    if bytes.elementsEqual("true".utf8) { return true }
    return bytes.elementsEqual("false".utf8) ? false : nil
  }

  /// nil for anything but a string, and for one with half of a surrogate pair, which is no text.
  package var string: String? {
    guard bytes.first == UInt8(ascii: "\"") else { return nil }
    let content = bytes.dropFirst().dropLast()
    guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
    var text: [UInt8] = []
    text.reserveCapacity(content.count)
    var rest = content
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let character = Self.escaped(&rest) else { return nil }
      if character.isASCII { text.append(UInt8(character.value)) } else { text += Array(character.utf8) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func escaped(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    switch rest.popFirst() {
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return scalar(&rest)
    case let other?: return Unicode.Scalar(other)
    case nil: return nil
    }
  }

  private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard var code = unit(&rest) else { return nil }
    if code >> 10 == 0x36 {
      guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"), let low = unit(&rest),
        low >> 10 == 0x37
      else { return nil }
      code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
    }
    return Unicode.Scalar(code)
  }

  private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
    defer { rest = rest.dropFirst(4) }
    return UInt32(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16)
  }
}
