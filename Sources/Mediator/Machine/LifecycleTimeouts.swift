/// How long a start, a reload and a stop may take in all; nil is no limit.
public struct LifecycleTimeouts: Hashable, Sendable {
  /// From the run to READY; then the start has failed.
  ///
  /// An optional listener that uses it up, and was the last to be told of its event, stops nothing: what follows has
  /// this time once more.
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
  /// It is a part of the stop's time, which it cannot use up: at most three quarters of what the stop has before its
  /// last two seconds, and half of a limit that is shorter than six.
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

  /// How long a stop may be put off: at most three quarters of what it has before what is kept for the end.
  package func longestWait(_ wanted: Duration) -> Duration {
    stop.map { min(wanted, ($0 - Self.kept(of: $0)) * 3 / 4) } ?? wanted
  }

  /// How long a budget is.
  ///
  /// - Parameter stop: what the stop on its way has in all: all of its time, or what a second signal leaves of it.
  package func duration(of budget: LifecycleBudget, in stop: Duration?) -> Duration? {
    switch budget {
    case .start: start
    case .reload, .recovery: reload
    case .stop, .hastened: stop.map { $0 - Self.kept(of: $0) }
    case .remainder: stop.map { Self.kept(of: $0) - Self.last(of: $0) }
    case .last: stop.map(Self.last)
    }
  }

  /// What a second stop signal leaves of what is left.
  package static func hastened(_ left: Duration?) -> Duration { max(.zero, min(left ?? .seconds(5), .seconds(5))) }

  /// A stop whose time runs out keeps a third of it, at most two seconds, for those who were not told yet.
  private static func kept(of stop: Duration) -> Duration { min(stop / 3, .seconds(2)) }

  private static func last(of stop: Duration) -> Duration { kept(of: stop) / 4 }

  /// How long a call that was cancelled for its time may take to return before it is left behind.
  ///
  /// - Parameter stop: what the stop on its way has in all; nil when there is none, or it has no limit.
  package func grace(in stop: Duration?) -> Duration {
    min(.milliseconds(250), stop.map { Self.last(of: $0) / 2 } ?? .milliseconds(250))
  }
}
