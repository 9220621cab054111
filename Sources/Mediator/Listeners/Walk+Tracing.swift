extension Walk {
  /// A call that the lifecycle's trace is told of.
  struct TracedCall: Sendable {
    private let trace: LifecycleTrace
    private let lifecycle: Lifecycle
    private let number: UInt64
    var result = LifecycleTrace.Entry.Result.completed

    /// nil without a trace, and while there is no clock.
    init?(_ step: WalkSteps.Step, of lifecycle: Lifecycle?) {
      guard let lifecycle, let trace = lifecycle.trace, let now = lifecycle.now else { return nil }
      let (event, reason) = (step.transition.event, step.transition.reason)
      self.trace = trace
      self.lifecycle = lifecycle
      number = trace.begin(
        .listener(step.registration.name, event, reason), serial: step.transition.serial, at: now)
    }

    func end() { if let now = lifecycle.now { trace.end(number, result, at: now) } }
  }

  /// Says that a listener is being told, for `settle`, or for whoever leaves it behind; false without a trace.
  func trace(_ step: WalkSteps.Step) -> Bool {
    guard let call = TracedCall(step, of: mediator.lifecycle) else { return false }
    state.withLock { $0.traced = call }
    return true
  }
}

extension Walk.State {
  /// The call that has just returned, or is left behind, with what it came to.
  ///
  /// Who was asked to return may throw what it likes.
  mutating func takeTraced(_ failure: ListenerFailure?) -> Walk.TracedCall? {
    defer { traced = nil }
    if isOverdue {
      traced?.result = .timedOut
    } else {
      traced?.result = failure != nil && (isCancelled || isHastened) ? .cancelled : .init(failure)
    }
    return traced
  }
}
