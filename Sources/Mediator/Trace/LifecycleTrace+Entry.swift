extension LifecycleTrace {
  /// One thing that happened, when it began, how long it took and what came of it.
  public struct Entry: Hashable, Sendable {
    /// What happened.
    ///
    /// Later versions add cases: end a `switch` over kinds with `default`.
    public enum Kind: Hashable, Sendable {
      /// An event, from its post until everybody who was told has finished.
      case event(LifecycleEvent, LifecycleReason, LifecycleOrigin)
      /// One listener was told of an event; the text is the listener's name.
      case listener(String, LifecycleEvent, LifecycleReason)
      /// The lifecycle was in this state, from its beginning until that of the next one.
      case state(LifecycleState)
      /// A datagram for the service manager, its lines separated by line feeds (`sd_notify(3)`).
      case notify(String)
      /// A signal of the bridge's has arrived, whatever came of it.
      case signal(LifecycleOrigin)
    }

    /// What came of it.
    public enum Result: Hashable, Sendable {
      /// It was done.
      case completed
      /// It failed, for this reason; an event with a listener that is required.
      case failed(String)
      /// It did not end in its time.
      case timedOut
      /// It was called off, or not everybody was told.
      case cancelled
    }

    /// Grows by one with each entry; a gap is where entries made room for others.
    public var number: UInt64
    /// What happened; texts are as they came, with any character, and cut at 256 bytes.
    public var kind: Kind
    /// The transition's; 0 for what belongs to none.
    public var serial: UInt64
    /// When it began.
    public var began: ContinuousClock.Instant
    /// How long it took, or for how long the same datagram was repeated; nil while it is on its way.
    public var duration: Duration?
    /// What came of it; nil while it is on its way.
    public var result: Result?
    /// How often it happened in a row; more than 1 only for a datagram that was repeated, such as a ping.
    public var count = 1

    /// Makes an entry, for instance in a test.
    public init(
      number: UInt64, _ kind: Kind, serial: UInt64 = 0, began: ContinuousClock.Instant, duration: Duration? = nil,
      result: Result? = nil
    ) {
      self.number = number
      self.kind = kind
      self.serial = serial
      self.began = began
      self.duration = duration
      self.result = result
    }
  }
}

extension LifecycleTrace.Entry.Kind {
  /// With its texts cut, so that the memory of a trace is bounded.
  var cut: Self {
    switch self {
    case .event(let event, let reason, let origin): .event(event, reason, origin.cut)
    case .listener(let name, let event, let reason): .listener(TraceRing.cut(name), event, reason)
    case .notify(let text): .notify(TraceRing.cut(text))
    case .state, .signal: self
    }
  }
}

extension LifecycleOrigin {
  fileprivate var cut: LifecycleOrigin { if case .scene(let id) = self { .scene(TraceRing.cut(id)) } else { self } }
}

extension LifecycleTrace.Entry.Result {
  /// With its text cut.
  var cut: Self { if case .failed(let message) = self { .failed(TraceRing.cut(message)) } else { self } }

  /// - Parameter failure: nil when nothing has failed.
  init(_ failure: ListenerFailure?) {
    guard let failure else {
      self = .completed
      return
    }
    self = failure.isTimeout ? .timedOut : .failed(failure.message)
  }

  init(_ outcome: TransitionOutcome) {
    if let failure = outcome.requiredFailure {
      self = failure.isTimeout ? .timedOut : .failed(failure.summary)
    } else {
      self = outcome.wasCancelled ? .cancelled : .completed
    }
  }
}
