internal import Glibc

/// The time of day where this process lives, as "15:33:12".
enum TimeOfDay {
  static func now() -> String { text(of: time(nil)) }

  /// - Parameter seconds: since 1970.
  static func text(_ seconds: UInt64) -> String { text(of: time_t(clamping: seconds)) }

  private static func text(of moment: time_t) -> String {
    var moment = moment
    var parts = unsafe tm()
    unsafe localtime_r(&moment, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }
}
