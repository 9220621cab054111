/// Writes JSON (RFC 8259), one value after the other, without building anything first.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  package mutating func object(_ members: (inout JSONWriter) -> Void) { enclose("{", "}", members) }

  package mutating func array<Element>(_ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void)
  {
    enclose("[", "]") { json in for element in elements { write(&json, element) } }
  }

  package mutating func member(_ key: StaticString, _ value: (inout JSONWriter) -> Void) {
    string(key.description)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
    value(&self)
  }

  /// Left out when it is nil.
  package mutating func member(_ key: StaticString, _ text: String?) {
    if let text { member(key) { $0.string(text) } }
  }

  /// Left out when it is nil.
  package mutating func member(_ key: StaticString, _ number: (some BinaryInteger)?) {
    if let number { member(key) { $0.number(number) } }
  }

  package mutating func member(_ key: StaticString, _ flag: Bool) {
    member(key) { $0.raw((flag ? "true" : "false").utf8) }
  }

  package mutating func member(_ key: StaticString, _ texts: some Sequence<String>) {
    member(key) { $0.array(texts) { $0.string($1) } }
  }

  package mutating func number(_ number: some BinaryInteger) { raw(String(number).utf8) }

  /// A whole value that is JSON already.
  package mutating func raw(_ value: some Sequence<UInt8>) {
    separate()
    bytes += value
  }

  package mutating func string(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    var before: UInt8 = 0
    for byte in text.utf8 {
      defer { before = byte }
      switch byte {
      // The second byte of a control character from U+0080 to U+009F: a terminal would heed it.
      case 0x80...0x9F where before == 0xC2:
        bytes.removeLast()
        escape(byte)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += Array("\\n".utf8)
      case ..<0x20, 0x7F: escape(byte)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ code: UInt8) {
    let digits = Array("0123456789abcdef".utf8)
    bytes += Array("\\u00".utf8) + [digits[Int(code >> 4)], digits[Int(code & 15)]]
  }

  private mutating func enclose(_ first: Unicode.Scalar, _ last: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: first))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: last))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }
}
