/// What the state machine is told.
package enum LifecycleInput: Hashable, Sendable {
  /// The embedder runs the lifecycle.
  case run
  case reload(LifecycleOrigin, ReloadTicket? = nil)
  case pause(PauseCause, LifecycleOrigin)
  case resume(PauseCause, LifecycleOrigin)
  case stop(LifecycleOrigin)
  /// A signal without another meaning.
  case signal(LifecycleOrigin)
  /// A listener failed outside a transition: a newcomer in its start.
  case failed(ListenerFailure)
  /// The time for this has run out.
  case overdue(LifecycleBudget)
  /// The transition that was posted has ended: everybody who was told has finished.
  case ended(LifecycleEvent, TransitionOutcome)
}

/// Somebody who waits for the outcome of a reload.
package struct ReloadTicket: Hashable, Sendable {
  package var number: UInt64
  package init(_ number: UInt64) { self.number = number }
}

/// What holds the service in the background; each cause is on or off, and the pause ends with the last.
package enum PauseCause: String, Hashable, Sendable, CaseIterable {
  /// SIGUSR1 and SIGUSR2.
  case `operator`
  /// SIGTSTP and SIGCONT.
  case jobControl
  case sleep
  case embedder

  var reason: LifecycleReason { self == .sleep ? .sleep : .pause }
}
