extension ControlReplies.Origin {
  /// "SIGHUP from process 7 of user 0"; the log says the same.
  var words: String {
    switch kind {
    case "signal": "SIG" + SignalName.name(of: signal ?? 0) + (pid.map { $0 > 0 ? sender : "" } ?? "")
    case "manager": "the service manager"
    case "embedder": "lifecycled itself"
    case "foreignPost": "a foreign post"
    case "control": "process \(pid ?? 0) of user \(uid ?? 0)"
    case "scene": "the scene \(scene ?? "")"
    case "system": "the machine"
    default: kind
    }
  }

  private var sender: String { " from process \(pid ?? 0) of user \(uid ?? 0)" }
}

extension ControlReplies.Failure {
  /// "10-db in reload: why".
  var words: String { "\(listener) in \(event): \(message)" }
}
