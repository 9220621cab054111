package import Mediator

/// How often listeners are warned of memory pressure: a pure value.
///
/// A trigger fires every two seconds as long as the pressure lasts, and who has just given back what there was has
/// nothing to give. What is worse than the last time is told at once.
package struct PressureLimit: Hashable, Sendable {
  /// From one warning to the next of the same level, at least.
  package static let interval = Duration.seconds(10)

  private struct Warning: Hashable, Sendable {
    var level: MemoryPressure.Level
    var time: ContinuousClock.Instant
  }

  private var last: Warning?
  /// Who is being told has not finished yet.
  private var onTheirWay = 0

  package init() {}

  /// Whether to tell listeners.
  package mutating func admits(_ level: MemoryPressure.Level, at now: ContinuousClock.Instant) -> Bool {
    if let last {
      let isRecent = onTheirWay > 0 || now - last.time < Self.interval
      let isWorse = last.level == .some && level == .full
      if isRecent, !isWorse { return false }
    }
    last = Warning(level: level, time: now)
    onTheirWay += 1
    return true
  }

  /// Everybody has been told.
  package mutating func ended() { onTheirWay -= 1 }
}
