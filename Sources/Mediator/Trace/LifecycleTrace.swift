/// Remembers what happened in a lifecycle and how long it took: states, events, listeners, notify messages, signals.
///
/// Off until `lifecycle.trace` is set, since each call then costs two readings of the clock. What it keeps is bounded:
/// the first quarter of its room is for what came first, so that the start is still there when all else has gone; of
/// the rest the oldest entries make room.
public final class LifecycleTrace: Sendable {
  private let ring: Locked<TraceRing>

  /// Makes an empty trace.
  ///
  /// - Parameter capacity: how many entries it keeps, at least 4; each takes about 200 bytes, and less than a kilobyte
  ///   where texts are as long as they may be.
  public init(capacity: Int = 1024) { ring = Locked(TraceRing(capacity: capacity)) }

  /// What it has kept, in the order in which it began; entries without a duration are still on their way.
  public var entries: [Entry] { ring.withLock({ $0.entries }) }

  /// How many entries have made room for others.
  public var droppedCount: UInt64 { ring.withLock({ $0.dropped }) }

  /// Notes that something has begun.
  ///
  /// - Returns: the number of its entry, for `end`.
  package func begin(_ kind: Entry.Kind, serial: UInt64 = 0, at now: ContinuousClock.Instant) -> UInt64 {
    ring.withLock { $0.begin(kind.cut, serial: serial, at: now) }
  }

  /// Notes how it ended; the first end counts, and one whose entry has made room is lost.
  package func end(_ number: UInt64, _ result: Entry.Result, at now: ContinuousClock.Instant) {
    ring.withLock { $0.end(number, result.cut, at: now) }
  }

  /// Notes that the lifecycle is in another state than before.
  package func enter(_ state: LifecycleState, at now: ContinuousClock.Instant) {
    ring.withLock { $0.enter(state, at: now) }
  }

  /// Notes something that takes no time of its own.
  package func note(_ kind: Entry.Kind, _ result: Entry.Result = .completed, at now: ContinuousClock.Instant) {
    ring.withLock { $0.note(kind.cut, result.cut, at: now) }
  }
}

extension Lifecycle {
  /// Where what happens is remembered; nil, as it is at first, costs nothing.
  ///
  /// Set it before the run to see the start. What is on its way when it is set or taken away is not seen.
  public var trace: LifecycleTrace? {
    get { tracing.withLock({ $0 }) }
    set { tracing.withLock { $0 = newValue } }
  }
}
