internal import Mediator

extension LogLine {
  /// What a report of the lifecycle is worth: an event one line, a failure one line, the rest details.
  ///
  /// nil for what is said elsewhere: the faults of a configuration are logged one by one where they are found.
  ///
  /// - Parameter isProgram: whether a listener is a program, of which people do not say that it fails in an event.
  init?(_ report: LifecycleReport, isProgram: (String) -> Bool = { _ in false }) {
    switch report {
    case .signalReceived(let origin): self.init(.info, "received \(Self.words(of: origin))")
    case .eventBegan(let event, let reason, .scene(let id), _):
      self.init(.notice, "\(isProgram(id) ? "program " : "")\(id): \(event.rawValue) (\(reason.rawValue))")
    case .eventBegan(let event, let reason, _, _): self.init(.notice, "\(event.rawValue) (\(reason.rawValue))")
    case .eventEnded(let event, _, _, let duration, let wasCancelled):
      let end = wasCancelled ? "was cancelled" : "ended"
      self.init(.debug, "\(event.rawValue) \(end) after \(Self.words(of: duration))")
    case .listenerFailed(let failure):
      if failure.listener == ConfigurationListener.name, failure.event == .prepareReload { return nil }
      let level: LogLevel = failure.isRequired ? .error : .warning
      let text = isProgram(failure.listener) ? Self.words(ofProgram: failure) : Self.words(of: failure)
      self.init(level, text)
    case .unwell(let failure):
      self.init(failure.isRequired ? .error : .warning, "\(failure.listener) is unwell: \(failure.message)")
    case .reloadEnded(let outcome): self.init(outcome)
    case .occurrencesDropped(let count):
      self.init(.notice, "the stop has begun: nobody is told of \(count) signals, requests or news that waited")
    case .reloadRemembered: self.init(.info, "a reload was asked for; it follows")
    case .nothingToReload: self.init(.info, "there is nothing to reload")
    case .deferralReleased(let name, let event):
      self.init(.warning, "the deferral \(name) was released without a call in \(event.rawValue)")
    case .deferralTooLate(let name, let event):
      self.init(.warning, "the deferral \(name) was asked for after \(event.rawValue) had been posted")
    case .signalsReclaimed(let signals):
      let names = signals.map(\.rawValue).sorted().map(Self.name(of:)).joined(separator: ", ")
      self.init(.warning, "another part of this process had taken \(names); taken back")
    case .signalsNotClaimed(let signals, let message):
      let names = signals.map(\.rawValue).sorted().map(Self.name(of:)).joined(separator: ", ")
      self.init(.warning, "\(names) cannot be handled: \(message)")
    case .sourceUnusable(let capability, let message):
      self.init(.debug, "\(capability.rawValue) cannot be watched there: \(message)")
    case .sleepNotAwaited(let time):
      self.init(
        .warning,
        "the machine sleeps or goes down now, and not all are in the background after \(Self.words(of: time)): it "
          + "waits no longer than InhibitDelayMaxSec= in logind.conf says")
    case .notifyFailed(let message, _):
      self.init(.warning, "the service manager could not be told: \(message); the service goes on")
    case .finished(let status): self.init(.notice, "finished with exit status \(status)")
    default: self.init(details: report)
    }
  }

  private init(details report: LifecycleReport) {
    if case .stateChanged(let state) = report {
      self.init(.debug, "state: \(state.rawValue)")
    } else {
      self.init(.debug, String(describing: report))
    }
  }

  /// The reason of a failure was logged with the listener that failed.
  private init(_ outcome: ReloadOutcome) {
    switch outcome {
    case .reloaded(let generation, let duration):
      self.init(.notice, "reloaded in \(Self.words(of: duration)): generation \(generation)")
    case .failed: self.init(.error, "the reload failed; what was in force stays in force")
    case .droppedByStop: self.init(.notice, "the reload was dropped by the stop")
    }
  }

  private static func words(of failure: ListenerFailure) -> String {
    "\(failure.listener) failed in \(failure.event.rawValue): \(failure.message)"
  }

  private static func words(ofProgram failure: ListenerFailure) -> String {
    let when: String
    switch failure.event {
    case .prepareReload, .reload: when = "in the reload: "
    case .revertReload: when = "cannot go back to what it was: "
    case .willTerminate: when = "did not stop in order: "
    default: when = ""
    }
    return "program \(failure.listener): \(when)\(failure.message)"
  }

  private static func words(of origin: LifecycleOrigin) -> String {
    switch origin {
    case .signal(let number, 0, 0, _): name(of: number.rawValue)
    case .signal(let number, let pid, let uid, _): "\(name(of: number.rawValue)) from process \(pid) of user \(uid)"
    case .manager: "a request of the service manager"
    case .embedder: "a request of lifecycled itself"
    case .foreignPost: "a foreign post"
    case .control(let pid, let uid): "a request of process \(pid) of user \(uid)"
    case .scene(let id): "the scene \(id)"
    case .system: "the machine"
    }
  }

  private static func name(of signal: Int32) -> String { "SIG" + SignalName.name(of: signal) }

  /// Rounded to milliseconds where that leaves anything.
  static func words(of duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let microseconds = UInt64(max(seconds, 0)) * 1_000_000 + UInt64(max(attoseconds, 0) / 1_000_000_000_000)
    return TimeSpan.microseconds(microseconds < 1000 ? microseconds : microseconds / 1000 * 1000).description
  }
}
