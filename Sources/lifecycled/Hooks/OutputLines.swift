/// Cuts what a program prints into lines; one that is too long comes in pieces.
struct OutputLines: Sendable {
  /// Bytes of a line, or of a piece of one.
  static let limit = 8192
  private var rest: [UInt8] = []

  /// The lines that these bytes complete, without their line ends.
  mutating func take(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var remaining = bytes[...]
    while !remaining.isEmpty {
      let room = remaining.prefix(Self.limit - rest.count)
      if let newline = room.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(rest + room[..<newline])
        rest = []
        remaining = remaining[(newline + 1)...]
      } else {
        rest += room
        remaining = remaining.dropFirst(room.count)
        if rest.count == Self.limit, remaining.first != UInt8(ascii: "\n") {
          lines.append(rest)
          rest = []
        } else if rest.count == Self.limit {
          lines.append(rest)
          rest = []
          remaining = remaining.dropFirst()
        }
      }
    }
    return lines
  }

  /// The end: a last line without its line end, if there is one.
  mutating func end() -> [UInt8]? {
    defer { rest = [] }
    return rest.isEmpty ? nil : rest
  }
}
