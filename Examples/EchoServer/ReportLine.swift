/// What happened in the lifecycle, as one line for a log; the libraries themselves log nothing.
import Mediator

extension LifecycleReport {
  /// nil for what an operator need not see.
  var line: String? {
    switch self {
    case .eventBegan(let event, let reason, _, _): "\(event.rawValue) (\(reason.rawValue))"
    case .listenerFailed(let failure):
      "\(failure.listener) failed in \(failure.event.rawValue): \(failure.message)".oneLine
    case .reloadEnded(.reloaded(let generation, let duration)): "reloaded: generation \(generation), \(duration)"
    case .reloadEnded(.failed(let error)): "not reloaded: \(error)".oneLine
    case .reloadEnded(.droppedByStop): "not reloaded: the service stops"
    case .stateChanged(let state): "state: \(state.rawValue)"
    case .notifyFailed(let message, _): "the service manager could not be told: \(message)".oneLine
    case .stateSaved(let listeners): "saved the state of \(listeners.joined(separator: ", "))".oneLine
    case .stateNotSaved(let place, let message): "state was not saved in \(place): \(message)".oneLine
    case .stateIgnored(let listener, let reason): "saved state of \(listener) is ignored: \(reason)".oneLine
    case .stateUnreadable(let place, let reason): "saved state in \(place) is ignored: \(reason)".oneLine
    case .signalsReclaimed(let signals): "took back the signals \(signals.map(\.rawValue).sorted())"
    case .finished(let exitStatus): "exit status \(exitStatus)"
    default: nil
    }
  }
}

extension String {
  /// An error's words may come from a file or a peer: none of it may start a new line or steer a terminal.
  fileprivate var oneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
