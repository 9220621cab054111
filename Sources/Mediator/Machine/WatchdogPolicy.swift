/// What becomes of the manager's watchdog (`WatchdogSec=` in systemd.service(5)) when a required listener is unwell.
public enum WatchdogPolicy: String, Hashable, Sendable, CaseIterable {
  /// The manager hears nothing any more, and acts when its own time is over.
  case silence
  /// The manager is told to act at once (`WATCHDOG=trigger` in sd_notify(3)).
  case trigger
  /// It is not pinged at all: somebody else in the process does that.
  case off
}
