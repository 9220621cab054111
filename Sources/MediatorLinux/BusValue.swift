/// One value in a message of a bus, of the few types that are used here.
internal import CLibsystemd
internal import Glibc

package indirect enum BusValue: Hashable, Sendable {
  case string(String)
  case boolean(Bool)
  case number(UInt64)
  case variant(BusValue)
  /// By name, each as a variant; only written.
  case properties([String: BusValue])
  /// Of another type; a descriptor is one, and is closed with its message.
  case other

  package var string: String? { if case .string(let text) = self { text } else { nil } }
  package var boolean: Bool? { if case .boolean(let isTrue) = self { isTrue } else { nil } }
  package var number: UInt64? { if case .number(let number) = self { number } else { nil } }
  package var variant: BusValue? { if case .variant(let value) = self { value } else { nil } }

  /// The next one of the message, or of the container that was entered last; nil at its end.
  @unsafe init?(readingFrom message: OpaquePointer) {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
    switch UInt8(bitPattern: type) {
    case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"): unsafe self.init(textFrom: message, type)
    case UInt8(ascii: "b"):
      var value: Int32 = 0
      guard unsafe sd_bus_message_read_basic(message, type, &value) > 0 else { return nil }
      self = .boolean(value != 0)
    case UInt8(ascii: "u"):
      var value: UInt32 = 0
      guard unsafe sd_bus_message_read_basic(message, type, &value) > 0 else { return nil }
      self = .number(UInt64(value))
    case UInt8(ascii: "t"):
      var value: UInt64 = 0
      guard unsafe sd_bus_message_read_basic(message, type, &value) > 0 else { return nil }
      self = .number(value)
    case UInt8(ascii: "v"):
      guard unsafe sd_bus_message_enter_container(message, type, contents) > 0 else { return nil }
      let value = unsafe BusValue(readingFrom: message) ?? .other
      guard unsafe sd_bus_message_exit_container(message) >= 0 else { return nil }
      self = .variant(value)
    default:
      guard unsafe sd_bus_message_skip(message, nil) >= 0 else { return nil }
      self = .other
    }
  }

  @unsafe private init?(textFrom message: OpaquePointer, _ type: CChar) {
    var value: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_read_basic(message, type, &value) > 0, let value = unsafe value else { return nil }
    self = unsafe .string(String(cString: value))
  }

  /// Its type as a signature.
  private var signature: String {
    switch self {
    case .string: "s"
    case .boolean: "b"
    case .number: "t"
    case .variant, .other: "v"
    case .properties: "a{sv}"
    }
  }

  /// Appends the value; fails with what sd_bus_message_append(3) says, EINVAL for `other`.
  @unsafe func append(to message: OpaquePointer) -> Int32 {
    switch self {
    case .string(let text): return unsafe sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), text)
    case .boolean(let isTrue):
      var value: Int32 = isTrue ? 1 : 0
      return unsafe sd_bus_message_append_basic(message, CChar(UInt8(ascii: "b")), &value)
    case .number(var value): return unsafe sd_bus_message_append_basic(message, CChar(UInt8(ascii: "t")), &value)
    case .variant(let value):
      return unsafe Self.inside(message, "v", value.signature) { unsafe value.append(to: message) }
    case .properties(let properties):
      return unsafe Self.inside(message, "a", "{sv}") {
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
          let result = unsafe Self.inside(message, "e", "sv") {
            let named = unsafe BusValue.string(name).append(to: message)
            return unsafe named < 0 ? named : BusValue.variant(value).append(to: message)
          }
          if result < 0 { return result }
        }
        return 0
      }
    case .other: return -EINVAL
    }
  }

  @unsafe private static func inside(
    _ message: OpaquePointer, _ type: Unicode.Scalar, _ contents: String, _ body: () -> Int32
  ) -> Int32 {
    let opened = unsafe sd_bus_message_open_container(message, CChar(UInt8(ascii: type)), contents)
    if opened < 0 { return opened }
    let filled = body()
    return unsafe filled < 0 ? filled : sd_bus_message_close_container(message)
  }
}
