internal import Glibc
internal import MediatorLinux

/// Where the log goes.
enum LogTarget: String, Sendable, CaseIterable {
  /// Standard error.
  case console
  /// The journal, by its own protocol.
  case journal
  /// Nowhere.
  case null

  /// The journal where standard error leads to it anyhow, and its socket can be seen from here.
  static func system() -> LogTarget {
    guard let announced = JournalStream.announced, announced == JournalStream(of: STDERR_FILENO),
      (try? SmallFile.look(at: "/run/systemd/journal/socket")) != nil
    else { return .console }
    return .journal
  }
}
