/// Lines that wait to be written, bounded; what does not fit is counted, and said once when there is room again.
struct LogBuffer: Sendable {
  private let lineLimit: Int
  private let byteLimit: Int
  /// Makes the line that says how many were lost.
  private let notice: @Sendable (_ lost: Int) -> String
  private var lines: [String] = []
  private var bytes = 0
  private var lost = 0

  init(lineLimit: Int = 1000, byteLimit: Int = 1 << 20, notice: @escaping @Sendable (_ lost: Int) -> String) {
    self.lineLimit = lineLimit
    self.byteLimit = byteLimit
    self.notice = notice
  }

  mutating func add(_ line: String) {
    // Not as soon as one line fits again: a slow reader would get nothing but such notices.
    if lost > 0, lines.count <= lineLimit / 2, bytes <= byteLimit / 2 { sayLoss() }
    if lost == 0, lines.count < lineLimit, bytes + line.utf8.count <= byteLimit {
      append(line)
    } else {
      lost += 1
    }
  }

  /// All that waits, oldest first; empty when nothing does.
  mutating func takeAll() -> [String] {
    if lost > 0, lines.isEmpty { sayLoss() }
    defer { (lines, bytes) = ([], 0) }
    return lines
  }

  private mutating func sayLoss() {
    append(notice(lost))
    lost = 0
  }

  private mutating func append(_ line: String) {
    lines.append(line)
    bytes += line.utf8.count
  }
}
