/// How long to wait between two looks at a condition: a pure value that grows from 20 ms to 500 ms.
package struct ProbeInterval: Hashable, Sendable {
  static let shortest = Duration.milliseconds(20)
  static let longest = Duration.milliseconds(500)

  private var current = ProbeInterval.shortest

  package init() {}

  /// The next pause, at most what is left of the time, so that the last look is at its end; nil when nothing is left.
  mutating func next(left: Duration) -> Duration? {
    guard left > .zero else { return nil }
    return min(next(), left)
  }

  /// The next pause where the time has no end.
  package mutating func next() -> Duration {
    defer { current = min(current * 2, Self.longest) }
    return current
  }
}
