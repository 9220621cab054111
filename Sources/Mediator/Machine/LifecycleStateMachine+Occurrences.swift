/// What happens beside the lifecycle's own way: requests, runs that end, and what is said of the service.
extension LifecycleStateMachine {
  mutating func occurred(
    _ event: LifecycleEvent, _ origin: LifecycleOrigin, _ ticket: OccurrenceTicket
  ) -> [LifecycleEffect] {
    switch phase {
    case .foreground, .background, .pausing, .resuming, .reloading:
      return [.postOccurrence(event, reason, origin, ticket)]
    case .notStarted, .starting:
      let isKept = event == .didReceiveRequest && earlyStop == nil && waitingOccurrences.count < Self.waitingLimit
      guard isKept else { return [.refuse([ticket])] }
      waitingOccurrences.append(WaitingOccurrence(event: event, origin: origin, ticket: ticket))
      return []
    case .stopping, .stopped: return [.refuse([ticket])]
    }
  }

  mutating func occurrenceEnded(_ event: LifecycleEvent, _ outcome: TransitionOutcome) -> [LifecycleEffect] {
    // A request's failure is its caller's.
    guard event.isOccurrence, event != .didReceiveRequest else { return [] }
    let before = degraded
    note(event, outcome)
    return degraded == before ? [] : statusChanged()
  }

  /// What came in the start is offered now.
  mutating func offerWaiting() -> [LifecycleEffect] {
    defer { waitingOccurrences = [] }
    return waitingOccurrences.map { .postOccurrence($0.event, reason, $0.origin, $0.ticket) }
  }

  mutating func runEnded(_ failure: ListenerFailure) -> [LifecycleEffect] {
    switch phase {
    case .starting(let event):
      if failure.isRequired { return failStart(failure, during: event, isOnItsWay: true) }
      keep(failure)
      return []
    case .foreground, .background, .pausing, .resuming, .reloading:
      keep(failure)
      if failure.isRequired { return stop(.embedder, because: "stopping: \(failure.summary)") }
      return phase == .foreground || phase == .background ? [.notify(ManagerNotice(status: standingStatus))] : []
    case .stopping(let stop):
      // Put off, it still serves.
      if stop.isWaiting || stop.event == .shouldTerminate { keep(failure) }
      return []
    case .notStarted, .stopped: return []
    }
  }

  /// The exit status goes on telling it.
  mutating func mended(_ listeners: Set<String>) -> [LifecycleEffect] {
    let before = standingStatus
    degraded.removeAll { listeners.contains($0.listener) }
    return standingStatus == before ? [] : statusChanged()
  }

  mutating func status(_ text: String) -> [LifecycleEffect] {
    guard text != reportedStatus else { return [] }
    reportedStatus = text
    return statusChanged()
  }

  mutating func health(_ failures: [ListenerFailure]) -> [LifecycleEffect] {
    guard failures != unwell else { return [] }
    unwell = failures
    return statusChanged()
  }

  private func statusChanged() -> [LifecycleEffect] {
    switch phase {
    case .foreground, .background: return [.notify(ManagerNotice(status: standingStatus))]
    case .notStarted, .starting, .pausing, .resuming, .reloading, .stopping, .stopped: return []
    }
  }
}
