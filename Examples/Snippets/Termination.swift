/// A listener that has a say in when the service may stop: now, later, or not at all for now.
import Mediator

actor Uploads: TerminationDeciding {
  private var running = 0
  private var isMigrating = false

  func begin() { running += 1 }
  func end() { running -= 1 }
  func migrate(_ isMigrating: Bool) { self.isMigrating = isMigrating }

  /// The strictest answer of all counts. A signal's stop cannot be cancelled, only put off within its time.
  func terminationDecision(_ transition: LifecycleTransition) -> TerminationDecision {
    if isMigrating { return .cancel("a migration is running") }
    return running == 0 ? .now : .later(.seconds(10))
  }
}

/// What an operator's "please stop" button does.
func askToStop(_ lifecycle: Lifecycle) async -> String {
  switch await lifecycle.requestTermination() {
  case .now: "stopping"
  case .later(let delay): "stopping in \(delay)"
  case .cancel(let reason): "not now: \(reason)"
  }
}
