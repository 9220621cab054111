/// What a signal would do to another process.
internal import Glibc

/// From what `/proc/PID/status` says, proc_pid_status(5). It may change the moment after it was read.
package enum SignalCatch: Hashable, Sendable {
  case caught
  case ignored
  /// No handler, but every thread blocks it: it waits for a signalfd or a later sigwait(3), and does nothing by itself.
  case blocked
  /// No handler; who leaves it open is in sigwait(3), which opens what it waits for: so maybe for this one.
  case awaited
  /// The default action: most signals end the process, those of `man 7 signal` with another one aside.
  case defaulted

  /// nil when there is no such process, or no such signal.
  package static func of(_ number: Int32, in pid: Int32) -> SignalCatch? {
    guard (1...64).contains(number), let status = ProcessFile.read("status", of: pid, limit: 1 << 16) else {
      return nil
    }
    let text = String(decoding: status, as: UTF8.self)
    guard let caught = bit(number, of: "SigCgt", in: text), let ignored = bit(number, of: "SigIgn", in: text) else {
      return nil
    }
    if caught { return .caught }
    return ignored ? .ignored : withoutHandler(number, pid)
  }

  private static func withoutHandler(_ number: Int32, _ pid: Int32) -> SignalCatch? {
    var result: SignalCatch?
    for thread in Folder.numbers("/proc/\(pid)/task") {
      guard let status = ProcessFile.read("task/\(thread)/status", of: pid, limit: 1 << 16) else { continue }
      if bit(number, of: "SigBlk", in: String(decoding: status, as: UTF8.self)) ?? true {
        result = result ?? .blocked
        continue
      }
      let place = ProcessFile.read("task/\(thread)/wchan", of: pid, limit: 256) ?? []
      guard place.starts(with: "do_sigtimedwait".utf8) else { return .defaulted }
      result = .awaited
    }
    return result
  }

  /// nil when there is no such line.
  static func bit(_ number: Int32, of name: String, in status: String) -> Bool? {
    for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
      let digits = line.dropFirst(name.utf8.count + 1).trimmingPrefix { $0 == "\t" || $0 == " " }
      return UInt64(digits, radix: 16).map { $0 >> UInt64(number - 1) & 1 == 1 }
    }
    return nil
  }
}
