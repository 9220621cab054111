/// What /proc says of one process: whose child it is, its group, when it began.
internal import Glibc

/// A number may be given to another process once its own was reaped; with the moment of the start it never is.
package struct ProcessEntry: Hashable, Sendable {
  package var pid: Int32
  package var parent: Int32
  package var group: Int32
  package var session: Int32
  /// In clock ticks since the system's own start.
  package var startTime: UInt64
  /// False for a zombie none of whose threads lives any more.
  package var isAlive: Bool

  /// nil when there is no such process, or /proc does not show it.
  package init?(pid: Int32) {
    guard let text = ProcessFile.read("stat", of: pid, limit: 4096), let entry = ProcessEntry(stat: text) else {
      return nil
    }
    self = entry
  }

  /// Reads the text of `/proc/PID/stat`, proc_pid_stat(5). The name in it may contain blanks and parentheses, so what
  /// comes after it begins at the last closing one.
  package init?(stat text: [UInt8]) {
    guard let open = text.firstIndex(of: UInt8(ascii: "(")), let close = text.lastIndex(of: UInt8(ascii: ")")),
      open > 0, close > open, let pid = Self.number(text[..<(open - 1)])
    else { return nil }
    let fields = text[(close + 1)...].split(whereSeparator: { $0 == 0x20 || $0 == 0x0A })
    // The state is field 3 of the page, so field N is here N - 3.
    guard fields.count > 19, let state = fields[0].first, let parent = Self.number(fields[1]),
      let group = Self.number(fields[2]), let session = Self.number(fields[3]), let threads = Self.number(fields[17]),
      let startTime = Self.number(fields[19])
    else { return nil }
    let isDead = [UInt8(ascii: "Z"), UInt8(ascii: "X"), UInt8(ascii: "x")].contains(state)
    self.pid = Int32(truncatingIfNeeded: pid)
    self.parent = Int32(truncatingIfNeeded: parent)
    self.group = Int32(truncatingIfNeeded: group)
    self.session = Int32(truncatingIfNeeded: session)
    self.startTime = UInt64(clamping: startTime)
    isAlive = !isDead || threads > 1
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard let first = digits.first else { return nil }
    let isNegative = first == UInt8(ascii: "-")
    var value: Int64 = 0
    for digit in isNegative ? digits.dropFirst() : digits {
      guard digit >= 0x30, digit <= 0x39 else { return nil }
      value = value &* 10 &+ Int64(digit - 0x30)
    }
    return isNegative ? -value : value
  }
}
