internal import MediatorLinux

/// Moments for others to see, in µs on a clock that goes on while the machine sleeps.
struct ControlClock: Sendable {
  private let anchor = ContinuousClock.now
  /// When this clock was made, which is right before the lifecycle begins.
  let start = MonotonicClock.microseconds()

  var now: UInt64 { microseconds(of: .now) }

  func microseconds(of moment: ContinuousClock.Instant) -> UInt64 {
    let passed = anchor.duration(to: moment)
    return passed < .zero ? start - min(start, (.zero - passed).microseconds) : start + passed.microseconds
  }
}

extension Duration {
  /// Whole ones, 0 for less than nothing.
  var microseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(max(0, seconds)) * 1_000_000 + UInt64(max(0, attoseconds / 1_000_000_000_000))
  }
}
