/// A report as a logger of swift-log takes it: level, message and metadata, without depending on that package.
import Mediator

struct LogEntry: Hashable, Sendable {
  /// As `Logger.Level(rawValue:)` spells it.
  var level: String
  var message: String
  /// For `Logger.Metadata`, by `mapValues { .string($0) }`.
  var metadata: [String: String] = [:]

  /// nil for what is of no interest.
  init?(_ report: LifecycleReport) {
    switch report {
    case .eventEnded(let event, let reason, let serial, let duration, _):
      (level, message) = ("debug", event.rawValue)
      metadata = ["reason": reason.rawValue, "serial": "\(serial)", "duration": "\(duration)"]
    case .listenerFailed(let failure):
      (level, message) = (failure.isRequired ? "error" : "warning", failure.message)
      metadata = ["listener": failure.listener, "event": failure.event.rawValue]
      if let errno = failure.errno { metadata["errno"] = "\(errno)" }
    case .stateChanged(let state): (level, message) = ("notice", state.rawValue)
    case .reloadEnded(.reloaded(let generation, let duration)):
      (level, message) = ("notice", "reloaded")
      metadata = ["generation": "\(generation)", "duration": "\(duration)"]
    case .reloadEnded(.failed(let error)): (level, message) = ("error", "not reloaded: \(error)")
    case .requestEnded(let verb, .unclaimed): (level, message) = ("info", "nobody takes '\(verb)'")
    case .finished(let status): (level, message) = (status == 0 ? "notice" : "error", "exit status \(status)")
    case .eventBegan: return nil
    default: (level, message) = ("info", "\(report)")
    }
  }
}
