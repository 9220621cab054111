/// Where a program stands, as STATUS and its scene tell it.
struct ProgramState: Sendable, Equatable {
  enum Place: Sendable, Equatable {
    case waiting
    case starting
    case ready
    case reloading
    case stopping
    case restarting
    case ended
    case failed
  }

  var place: Place
  var restarts: Int
  /// What the program says of itself, or why it is not ready.
  var detail: String
  var isWell: Bool

  init(_ machine: ProgramMachine) {
    restarts = machine.restarts
    isWell = machine.trouble == nil
    detail = machine.said
    switch machine.phase {
    case .idle: place = .waiting
    case .starting:
      place = machine.restarts > 0 ? .restarting : .starting
      if detail.isEmpty { detail = machine.reasonAgainst ?? "" }
    case .ready: place = .ready
    case .reloading: place = .reloading
    case .ending(.stop): place = .stopping
    case .ending:
      place = .restarting
      restarts += 1
    case .pausing: place = .restarting
    case .over(let end):
      place = end.isFailure ? .failed : .ended
      if end.isFailure { detail = end.text }
    }
  }

  /// Such as "ready", "restarting (3)" or "starting: connection refused".
  var text: String {
    switch place {
    case .waiting: "waiting"
    case .starting: detail.isEmpty ? "starting" : "starting: \(detail)"
    case .ready: detail.isEmpty ? "ready" : "ready: \(detail)"
    case .reloading: "reloading"
    case .stopping: "stopping"
    case .restarting: "restarting (\(restarts))"
    case .ended: "ended"
    case .failed: "failed: \(detail)"
    }
  }
}
