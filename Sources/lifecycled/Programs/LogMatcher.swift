/// Finds the first line of a program's output that matches a pattern, in bytes as they come from its pipe.
///
/// A line up to `lineLimit` is looked at whole, when it has ended. A longer one is looked at in pieces of that length,
/// which overlap; there `^` and `$` match at the ends of a piece too.
struct LogMatcher: Sendable {
  /// Bytes of a line.
  static let lineLimit = 256 * 1024
  /// Bytes of a piece that belong to the next one too: what matches is found if it is no longer.
  static let overlap = 64 * 1024

  private let pattern: LogPattern
  private var line: [UInt8] = []
  private(set) var hasMatched = false

  init(_ pattern: LogPattern) { self.pattern = pattern }

  /// True when a line that these bytes complete is the first that matches; after that always false.
  mutating func take(_ bytes: [UInt8]) -> Bool {
    var remaining = bytes[...]
    while !remaining.isEmpty, !hasMatched {
      // One byte more: a line end after a line of just the limit.
      let room = remaining.prefix(Self.lineLimit + 1 - line.count)
      if let newline = room.firstIndex(of: UInt8(ascii: "\n")) {
        line += room[..<newline]
        if look() { return true }
        line.removeAll(keepingCapacity: line.count <= Self.overlap)
        remaining = remaining[(newline + 1)...]
      } else {
        line += room
        remaining = remaining.dropFirst(room.count)
        guard line.count > Self.lineLimit else { continue }
        if look() { return true }
        line = Array(line.suffix(Self.overlap))
      }
    }
    return false
  }

  /// The end of the output: whether a last line without its line end is the first that matches.
  mutating func end() -> Bool {
    defer { line = [] }
    return !hasMatched && !line.isEmpty && look()
  }

  private mutating func look() -> Bool {
    let isCRLF = line.last == UInt8(ascii: "\r")
    guard pattern.matches(isCRLF ? line.dropLast() : line[...]) else { return false }
    hasMatched = true
    line = []
    return true
  }
}
