/// Lines that wait to be written, bounded; what does not fit is counted, and said once when there is room again.
struct LogBuffer: Sendable {
  /// What waits, and how many lines are lost with it: a notice stands for those that it tells of.
  struct Item: Equatable, Sendable {
    var record: LogRecord
    var weight = 1
  }

  private let lineLimit: Int
  private let byteLimit: Int
  /// Makes the line that says how many were lost.
  private let notice: @Sendable (_ lost: Int) -> LogRecord
  private var items: [Item] = []
  private var bytes = 0
  private var lost = 0
  /// What was taken last could not be written: the loss is said with the next line, and not at once.
  private var isCutOff = false

  init(lineLimit: Int = 1000, byteLimit: Int = 1 << 20, notice: @escaping @Sendable (_ lost: Int) -> LogRecord) {
    self.lineLimit = lineLimit
    self.byteLimit = byteLimit
    self.notice = notice
  }

  mutating func add(_ record: LogRecord) {
    isCutOff = false
    // Not as soon as one line fits again: a slow reader would get nothing but such notices.
    if lost > 0, items.count <= lineLimit / 2, bytes <= byteLimit / 2 { sayLoss() }
    if lost == 0, items.count < lineLimit, bytes + record.size <= byteLimit {
      append(Item(record: record))
    } else {
      lost += 1
    }
  }

  /// All that waits, oldest first; empty when nothing does.
  mutating func takeAll() -> [Item] {
    if lost > 0, items.isEmpty, !isCutOff { sayLoss() }
    defer { (items, bytes) = ([], 0) }
    return items
  }

  /// What was taken could not be written.
  mutating func lose(_ count: Int) {
    if count == 0 { return }
    lost += count
    isCutOff = true
  }

  private mutating func sayLoss() {
    append(Item(record: notice(lost), weight: lost))
    lost = 0
  }

  private mutating func append(_ item: Item) {
    items.append(item)
    bytes += item.record.size
  }
}
