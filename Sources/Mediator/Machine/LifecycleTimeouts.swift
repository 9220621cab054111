/// How long a start, a reload and a stop may take in all; nil is no limit.
public struct LifecycleTimeouts: Hashable, Sendable {
  /// From the run to READY; then the start has failed.
  ///
  /// The undoing of a failed start has the stop's time.
  public var start: Duration?
  /// From RELOADING to READY; then the reload has failed, and the way back has this time once more.
  public var reload: Duration?
  /// From STOPPING to the exit, whatever listeners do.
  public var stop: Duration?
  /// What one listener may take in a pause or resumption, and for a signal, a request or a scene; then it is passed
  /// over.
  public var call: Duration?
  /// How long the service goes on serving after STOPPING, so that whoever sends it work can learn that it stops.
  ///
  /// It is a part of the stop's time, at most three quarters of it.
  public var drainDelay: Duration

  /// Makes limits; what is left out has its default.
  public init(
    start: Duration? = .seconds(90), reload: Duration? = .seconds(30), stop: Duration? = .seconds(25),
    call: Duration? = .seconds(30), drainDelay: Duration = .zero
  ) {
    self.start = start
    self.reload = reload
    self.stop = stop
    self.call = call
    self.drainDelay = drainDelay
  }

  /// How long a stop may be put off: the rest of its time is for those who stop.
  package func longestWait(_ wanted: Duration) -> Duration { stop.map { min(wanted, $0 * 3 / 4) } ?? wanted }

  /// How long a budget is.
  ///
  /// - Parameter left: what is left of the stop's time, for a stop that is hastened.
  package func duration(of budget: LifecycleBudget, left: Duration? = nil) -> Duration? {
    switch budget {
    case .start: start
    case .reload, .recovery: reload
    case .stop: stop.map { $0 - kept }
    case .remainder: stop.map { _ in kept - last }
    case .hastened: max(.zero, min(.seconds(5), left ?? .seconds(5)) - last)
    case .last: last
    }
  }

  /// A stop whose time runs out keeps a third of it, at most two seconds, for those who were not told yet.
  private var kept: Duration { min((stop ?? .seconds(25)) / 3, .seconds(2)) }

  private var last: Duration { kept / 4 }

  /// How long a call that was cancelled for its time may take to return before it is left behind.
  package var grace: Duration { min(.milliseconds(250), last / 2) }
}
