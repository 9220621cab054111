internal import Mediator

/// The types of `io.lifecycled.Control`, as `ControlInterface` describes them.
extension JSONWriter {
  mutating func failure(_ failure: ListenerFailure) {
    object { json in
      json.member("listener", failure.listener)
      json.member("event", failure.event.rawValue)
      json.member("required", failure.isRequired)
      json.member("timeout", failure.isTimeout)
      json.member("message", failure.message)
      json.member("errno", failure.errno)
    }
  }

  mutating func listener(_ listener: ListenerSnapshot) {
    object { json in
      json.member("name", listener.name)
      json.member("state", listener.state.rawValue)
      json.member("required", listener.isRequired)
      json.member("groups", listener.groups)
      json.member("capabilities", listener.capabilities.map(\.rawValue).sorted())
      json.member("durations") { json in
        let durations = LifecycleEvent.allCases.compactMap { event in
          listener.lastDurations[event].map { (event, $0) }
        }
        json.array(durations) { json, entry in
          json.object { json in
            json.member("event", entry.0.rawValue)
            json.member("durationUSec", entry.1.microseconds)
          }
        }
      }
    }
  }

  mutating func scene(id: String, kind: String, _ state: LifecycleScene.State) {
    object { json in
      json.member("id", id)
      json.member("kind", kind)
      json.member("state", state.rawValue)
    }
  }

  mutating func changes(_ changes: ControlFacts.Changes) {
    object { json in
      json.member("added", changes.added)
      json.member("removed", changes.removed)
      json.member("changed", changes.changed)
      json.member("restarted", changes.restarted)
      json.member("needRestart", changes.needRestart)
    }
  }

  mutating func origin(_ origin: LifecycleOrigin) {
    object { json in
      switch origin {
      case .signal(let number, let pid, let uid, _):
        json.member("kind", "signal")
        json.member("signal", number.rawValue)
        json.member("pid", pid)
        json.member("uid", uid)
      case .manager: json.member("kind", "manager")
      case .embedder: json.member("kind", "embedder")
      case .foreignPost: json.member("kind", "foreignPost")
      case .control(let pid, let uid):
        json.member("kind", "control")
        json.member("pid", pid)
        json.member("uid", uid)
      case .scene(let id):
        json.member("kind", "scene")
        json.member("scene", id)
      case .system: json.member("kind", "system")
      }
    }
  }

  mutating func entry(_ entry: LifecycleTrace.Entry, _ clock: ControlClock) {
    object { json in
      json.member("number", entry.number)
      json.kind(entry.kind)
      json.member("transition", entry.serial == 0 ? nil : entry.serial)
      json.member("count", entry.count)
      json.member("beginUSec", clock.microseconds(of: entry.began))
      json.member("durationUSec", entry.duration?.microseconds)
      switch entry.result {
      case nil: json.member("result", "open")
      case .completed: json.member("result", "ok")
      case .timedOut: json.member("result", "timedOut")
      case .cancelled: json.member("result", "cancelled")
      case .failed(let why):
        json.member("result", "failed")
        json.member("text", why)
      }
    }
  }

  private mutating func kind(_ kind: LifecycleTrace.Entry.Kind) {
    switch kind {
    case .event(let event, let reason, let origin):
      member("kind", "event")
      member("name", event.rawValue)
      member("reason", reason.rawValue)
      member("origin") { $0.origin(origin) }
    case .listener(let name, let event, let reason):
      member("kind", "call")
      member("name", name)
      member("event", event.rawValue)
      member("reason", reason.rawValue)
    case .state(let state):
      member("kind", "state")
      member("name", state.rawValue)
    case .notify(let text):
      member("kind", "notify")
      member("name", text)
    case .signal(let origin):
      member("kind", "signal")
      if case .signal(let number, _, _, _) = origin { member("name", "\(number.rawValue)") } else { member("name", "") }
      member("origin") { $0.origin(origin) }
    }
  }

  mutating func state(_ state: LifecycleState) {
    member("kind", "state")
    member("state", state.rawValue)
  }

  /// The members of a happening.
  mutating func report(_ report: LifecycleReport) {
    switch report {
    case .stateChanged(let state): self.state(state)
    case .eventBegan(let event, let reason, let origin, let serial):
      member("kind", "began")
      member("event", event.rawValue)
      member("reason", reason.rawValue)
      member("origin") { $0.origin(origin) }
      member("transition", serial)
    case .eventEnded(let event, let reason, let serial, let duration, let wasCancelled):
      member("kind", "ended")
      member("event", event.rawValue)
      member("reason", reason.rawValue)
      member("transition", serial)
      member("durationUSec", duration.microseconds)
      member("cancelled", wasCancelled)
    case .listenerFailed(let failure):
      member("kind", "failed")
      member("failure") { $0.failure(failure) }
    case .unwell(let failure):
      member("kind", "unwell")
      member("failure") { $0.failure(failure) }
    case .signalReceived(let origin):
      member("kind", "signal")
      member("origin") { $0.origin(origin) }
    case .reloadEnded(let outcome): reloadEnded(outcome)
    case .requestEnded(let verb, let result):
      member("kind", "request")
      member("text", "\(verb): \(Self.words(of: result))")
    case .sceneChanged(let id, let kind, let state):
      member("kind", "scene")
      member("scene") { $0.scene(id: id, kind: kind, state) }
    default:
      member("kind", "note")
      member("text", Self.words(of: report))
    }
  }

  private mutating func reloadEnded(_ outcome: ReloadOutcome) {
    switch outcome {
    case .reloaded(let generation, let duration):
      member("kind", "reloaded")
      member("generation", generation)
      member("durationUSec", duration.microseconds)
    case .failed(let error):
      member("kind", "reloadFailed")
      member("text", error.listener.map { "\($0): \(error.message)" } ?? error.message)
    case .droppedByStop: member("kind", "reloadDropped")
    }
  }

  private static func words(of result: RequestResult) -> String {
    switch result {
    case .handled(let listener, _): "handled by \(listener)"
    case .refused(let listener, let reason): "refused by \(listener): \(reason)"
    case .unclaimed: "nobody took it"
    }
  }

  private static func words(of report: LifecycleReport) -> String {
    switch report {
    case .occurrencesDropped(let count): "nobody is told of \(count) signals, requests or news: the stop has begun"
    case .reloadRemembered: "a reload was asked for; it follows"
    case .nothingToReload: "there is nothing to reload"
    case .terminationCancelled(let reason): "the stop was cancelled: \(reason)"
    case .notifyFailed(let message, _): "the service manager could not be told: \(message)"
    case .stateIgnored(let listener, let reason): "the saved state of \(listener) is ignored: \(reason)"
    case .stateUnreadable(let place, let reason): "the saved state in \(place) is ignored: \(reason)"
    case .stateSaved(let listeners): "saved the state of \(listeners.joined(separator: ", "))"
    case .stateNotSaved(let place, let message): "state could not be saved in \(place): \(message)"
    case .answerFailed(let listener, let message): "\(listener) did not answer: \(message)"
    case .sourceUnusable(let capability, let message): "\(capability.rawValue) cannot be watched there: \(message)"
    case .sleepNotAwaited(let time): "the machine went on after \(time), before listeners were in the background"
    case .deliveryExhausted: "too many threads are stuck in listeners"
    default: String(describing: report)
    }
  }
}
