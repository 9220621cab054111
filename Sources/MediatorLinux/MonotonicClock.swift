/// CLOCK_MONOTONIC, on which systemd counts: no wall clock, and it stands still while the system sleeps.
internal import Glibc

package enum MonotonicClock {
  /// Now, as `MONOTONIC_USEC=` of sd_notify(3) wants it.
  package static func microseconds() -> UInt64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
  }

  /// A moment to come, rounded up; a negative delay is none, one too long for the clock is "never".
  package static func microseconds(after delay: Duration) -> UInt64 {
    let (seconds, attoseconds) = delay.components
    if seconds < 0 || attoseconds < 0 { return microseconds() }
    let fraction = UInt64(attoseconds + 999_999_999_999) / 1_000_000_000_000
    let (whole, tooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflow) = (microseconds() + fraction).addingReportingOverflow(whole)
    return tooLong || overflow ? .max : sum
  }
}
