internal import Mediator

extension LogLine {
  /// The line of a report, with the kind and the facts of what happened.
  ///
  /// - Parameter generation: the lifecycle's, when it was reported.
  init?(_ report: LifecycleReport, isProgram: (String) -> Bool = { _ in false }, generation: UInt64) {
    self.init(report, isProgram: isProgram)
    facts[.generation] = "\(generation)"
    switch report {
    case .signalReceived(let origin): tell(.signalReceived, origin)
    case .eventBegan(let event, let reason, let origin, let serial):
      tell(.eventBegan, event, reason, serial)
      if case .scene(let id) = origin { listener = id }
    case .eventEnded(let event, let reason, let serial, let duration, _):
      tell(.eventEnded, event, reason, serial)
      facts[.duration] = Self.microseconds(duration)
    case .stateChanged(let state):
      kind = .stateChanged
      facts[.state] = state.rawValue
    case .listenerFailed(let failure):
      tell(.listenerFailed, failure)
      facts[.event] = failure.event.rawValue
    case .unwell(let failure): tell(.listenerUnwell, failure)
    case .reloadEnded(let outcome): tell(outcome)
    case .finished(let status):
      kind = .finished
      facts[.exitStatus] = "\(status)"
    default: break
    }
  }

  private mutating func tell(_ kind: LogKind, _ origin: LifecycleOrigin) {
    self.kind = kind
    guard case .signal(let number, let pid, let uid, _) = origin else { return }
    facts[.signal] = "SIG" + SignalName.name(of: number.rawValue)
    if pid != 0 { (facts[.senderPID], facts[.senderUID]) = ("\(pid)", "\(uid)") }
  }

  private mutating func tell(
    _ kind: LogKind, _ event: LifecycleEvent, _ reason: LifecycleReason, _ serial: UInt64
  ) {
    self.kind = kind
    (facts[.event], facts[.reason], facts[.transition]) = (event.rawValue, reason.rawValue, "\(serial)")
  }

  private mutating func tell(_ kind: LogKind, _ failure: ListenerFailure) {
    self.kind = kind
    listener = failure.listener
    facts[.errno] = failure.errno.map { "\($0)" }
  }

  private mutating func tell(_ outcome: ReloadOutcome) {
    switch outcome {
    case .reloaded(let generation, let duration):
      kind = .reloaded
      (facts[.generation], facts[.duration]) = ("\(generation)", Self.microseconds(duration))
    case .failed(let error):
      kind = .reloadFailed
      listener = error.listener
      facts[.errno] = error.errno.map { "\($0)" }
    case .droppedByStop: kind = .reloadDropped
    }
  }

  private static func microseconds(_ duration: Duration) -> String {
    "\(UInt64(max(0, duration / .microseconds(1))))"
  }
}
