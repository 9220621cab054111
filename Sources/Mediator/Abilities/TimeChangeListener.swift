/// A listener that keeps wall clock times.
public protocol TimeChangeListener: LifecycleListener {
  /// The clock was set or the time zone changed, as `transition.timeChange` says: compute dates anew.
  func significantTimeChange(_ transition: LifecycleTransition) async throws
}
