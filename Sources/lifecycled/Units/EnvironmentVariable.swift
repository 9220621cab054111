/// One `NAME=VALUE` of a child's environment.
struct EnvironmentVariable: Sendable, Equatable {
  var name: String
  var value: String

  /// nil if the name is none that systemd (and a shell) would take, or the value has control characters.
  init?(name: String, value: String) {
    guard Self.isValidName(name), Self.isValidValue(value) else { return nil }
    self.name = name
    self.value = value
  }

  /// From `NAME=VALUE`.
  init?(assignment: String) {
    guard let equals = assignment.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    self.init(
      name: String(assignment[..<equals]), value: String(assignment[assignment.utf8.index(after: equals)...]))
  }

  static func isValidName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  private static func isValidValue(_ value: String) -> Bool {
    !value.utf8.contains { ($0 < 0x20 && $0 != 0x09 && $0 != 0x0A) || $0 == 0x7F }
  }
}
