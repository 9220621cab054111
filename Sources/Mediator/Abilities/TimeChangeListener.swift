/// A listener that keeps wall clock times.
///
/// Told while the service runs: when `clock_settime(2)` or the end of a system sleep sets the wall clock, not while
/// `adjtimex(2)` slews it, and when `/etc/localtime` becomes another time zone.
public protocol TimeChangeListener: LifecycleListener {
  /// The clock was set or the time zone changed, as `transition.timeChange` says: compute dates anew.
  func significantTimeChange(_ transition: LifecycleTransition) async throws
}
