/// What changed about time.
public enum TimeChange: String, Hashable, Sendable, CaseIterable {
  /// The wall clock was set (`clock_settime(2)`); monotonic clocks go on.
  case clockWasSet
  /// The time zone of the machine is another one.
  case timeZoneChanged
}
