/// What the state machine wants done, in this order.
package enum LifecycleEffect: Hashable, Sendable {
  /// Tell the service manager, in one datagram.
  case notify(ManagerNotice)
  /// Post the event, and say `ended` when everybody has finished.
  case post(LifecycleEvent, LifecycleReason, LifecycleOrigin)
  /// Post an occurrence, with what goes with it.
  case postOccurrence(LifecycleEvent, LifecycleReason, LifecycleOrigin, OccurrenceTicket)
  /// These come at a time when nobody can be told.
  case refuse([OccurrenceTicket])
  /// Say `waited` after this time, or a part of it when the stop's own time is short.
  case wait(Duration)
  /// Say `overdue` when the time for this has run out; it takes the place of what was armed before.
  case arm(LifecycleBudget)
  case disarm
  /// Leave behind whoever is being told, as timed out, and tell nobody else: the transition ends.
  case abandon
  /// Leave behind whoever is being told, as timed out, and go on with the others.
  case passOver
  /// Cancel whoever is being told, and go on with the others.
  case hasten
  /// End the process, now: 128 and the signal's number.
  case exitNow(Int32)
  /// Cancel whoever is being told of the transition on its way, and start no further ones.
  case cancel
  /// A reload was asked for while something else is on its way.
  case remembered
  /// A reload has succeeded: have state encoded and kept.
  case saveState
  /// A reload has ended, and everybody who holds one of these tickets gets this outcome.
  case answer([ReloadTicket], ReloadAnswer)
  /// The lifecycle is over.
  case finish(Int32)
}

/// What became of a reload, without the clock that the machine does not have.
package enum ReloadAnswer: Hashable, Sendable {
  case reloaded(generation: UInt64)
  case failed(ListenerFailure)
  case nothingToReload(generation: UInt64)
  case droppedByStop
}
