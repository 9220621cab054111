/// Whether the manager waits for pings, and for how long (`sd_watchdog_enabled(3)`).
internal import CLibsystemd

package enum ManagerWatchdog {
  /// nil without a watchdog, and when it is meant for another process.
  package static func interval() -> Duration? {
    var microseconds: UInt64 = 0
    guard unsafe sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }
}
