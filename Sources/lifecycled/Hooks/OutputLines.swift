/// Cuts what a program prints into lines; one that is too long comes in pieces.
struct OutputLines: Sendable {
  /// Bytes of a line, or of a piece of one.
  static let limit = 8192
  private var rest: [UInt8] = []
  private var wasCut = false

  /// The lines that these bytes complete, without their line ends.
  mutating func take(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var remaining = bytes[...]
    while !remaining.isEmpty {
      let room = remaining.prefix(Self.limit - rest.count)
      if let newline = room.firstIndex(of: UInt8(ascii: "\n")) {
        let line = rest + room[..<newline]
        // The line end of a line that was cut right before it makes no line of its own.
        if !(line.isEmpty && wasCut) { lines.append(line) }
        (rest, wasCut) = ([], false)
        remaining = remaining[(newline + 1)...]
      } else {
        rest += room
        remaining = remaining.dropFirst(room.count)
        guard rest.count == Self.limit else { continue }
        lines.append(rest)
        (rest, wasCut) = ([], true)
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
