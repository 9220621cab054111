/// How long to wait between two looks at a condition: a pure value that grows from 20 ms to 500 ms.
struct ProbeInterval: Hashable, Sendable {
  static let shortest = Duration.milliseconds(20)
  static let longest = Duration.milliseconds(500)

  private var current = ProbeInterval.shortest

  /// The next pause, at most what is left of the time, so that the last look is at its end; nil when nothing is left.
  mutating func next(left: Duration) -> Duration? {
    guard left > .zero else { return nil }
    defer { current = min(current * 2, Self.longest) }
    return min(current, left)
  }
}
