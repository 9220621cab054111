/// What the state machine is told.
package enum LifecycleInput: Hashable, Sendable {
  /// The embedder runs the lifecycle.
  case run
  case reload(LifecycleOrigin, ReloadTicket? = nil)
  case pause(PauseCause, LifecycleOrigin)
  case resume(PauseCause, LifecycleOrigin)
  case stop(LifecycleOrigin)
  /// A stop that listeners have agreed to already.
  case agreedStop(LifecycleOrigin)
  /// A signal without another meaning.
  case signal(LifecycleOrigin)
  /// Something that moves nothing: a request, memory pressure. What goes with it is the ticket holder's.
  case occurred(LifecycleEvent, LifecycleOrigin, OccurrenceTicket)
  /// A listener failed outside a transition: a newcomer in its start.
  case failed(ListenerFailure)
  /// A listener's `run()` has ended without being asked to.
  case runEnded(ListenerFailure)
  /// What these listeners failed in is mended, or they are gone for good.
  case mended(Set<String>)
  /// What listeners say in a few words of what the service does; empty for nothing.
  case status(String)
  /// Who is unwell now; empty when all is well again.
  case health([ListenerFailure])
  /// The time for this has run out.
  case overdue(LifecycleBudget)
  /// The time for which the stop was put off is over.
  case waited
  /// The transition that was posted has ended: everybody who was told has finished.
  case ended(LifecycleEvent, TransitionOutcome)
}

/// Somebody who waits for the outcome of a reload.
package struct ReloadTicket: Hashable, Sendable {
  package var number: UInt64
  package init(_ number: UInt64) { self.number = number }
}

/// Something that happened, with what goes with it kept elsewhere.
package struct OccurrenceTicket: Hashable, Sendable {
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
