/// Everybody who waits for a state, a reload or the end, and when their wait is over.
struct LifecycleWaiters: Sendable {
  typealias Resumption = @Sendable () -> Void
  typealias StateContinuation = @Sendable (Result<Void, LifecycleError>) -> Void

  /// What somebody waits for.
  enum Wish: Sendable {
    case state(LifecycleState)
    case paused(PauseCause)
    case resumed(PauseCause)
  }

  private var wishes: [UInt64: (wish: Wish, resume: StateContinuation)] = [:]
  private var reloads: [ReloadTicket: @Sendable (ReloadOutcome) -> Void] = [:]
  /// Waits whose task was cancelled before they were added.
  private var cancelledEarly: Set<UInt64> = []
  private var exits: [@Sendable (Int32) -> Void] = []
  private var nextNumber: UInt64 = 0

  mutating func number() -> UInt64 {
    nextNumber += 1
    return nextNumber
  }

  /// False if the wait was cancelled before it began.
  mutating func add(_ wish: Wish, number: UInt64, _ resume: @escaping StateContinuation) -> Bool {
    if cancelledEarly.contains(number) { return false }
    wishes[number] = (wish, resume)
    return true
  }

  mutating func end(_ number: UInt64) { cancelledEarly.remove(number) }

  mutating func addReload(_ resume: @escaping @Sendable (ReloadOutcome) -> Void) -> ReloadTicket {
    let ticket = ReloadTicket(number())
    reloads[ticket] = resume
    return ticket
  }

  mutating func addExit(_ resume: @escaping @Sendable (Int32) -> Void) { exits.append(resume) }

  mutating func takeCancelled(_ number: UInt64) -> Resumption? {
    guard let resume = wishes.removeValue(forKey: number)?.resume else {
      cancelledEarly.insert(number)
      return nil
    }
    return { resume(.failure(Self.cancelled)) }
  }

  static let cancelled = LifecycleError(.cancelled, message: "the waiting task was cancelled")

  mutating func takeResolved(by machine: LifecycleStateMachine) -> [Resumption] {
    var resumptions: [Resumption] = []
    for (number, waiter) in wishes {
      guard let result = machine.resolution(of: waiter.wish) else { continue }
      wishes.removeValue(forKey: number)
      resumptions.append { waiter.resume(result) }
    }
    return resumptions
  }

  mutating func takeReloads(_ tickets: [ReloadTicket], _ outcome: ReloadOutcome) -> [Resumption] {
    tickets.compactMap { reloads.removeValue(forKey: $0) }.map { resume in { resume(outcome) } }
  }

  /// The end: nobody waits any longer.
  mutating func takeExits(_ status: Int32) -> [Resumption] {
    let resumptions: [Resumption] =
      exits.map { resume in { resume(status) } } + takeReloads(Array(reloads.keys), .droppedByStop)
    exits = []
    return resumptions
  }
}

extension LifecycleStateMachine {
  /// How a wait ends in this state; nil while it goes on.
  func resolution(of wish: LifecycleWaiters.Wish) -> Result<Void, LifecycleError>? {
    let isSettled = phase == .foreground || phase == .background
    switch wish {
    case .state(let wanted):
      if state == wanted { return .success(()) }
      return canReach(wanted) ? nil : .failure(unreachable(wanted))
    case .paused(let cause):
      if phase == .background, pauses.contains(cause) { return .success(()) }
      if isSettled, !pauses.contains(cause) { return .failure(superseded("pause")) }
      return canReach(.background) ? nil : .failure(unreachable(.background))
    case .resumed(let cause):
      if isSettled, pauses.contains(cause) { return .failure(superseded("resume")) }
      if isSettled, pauses.isEmpty == (phase == .foreground) { return .success(()) }
      return canReach(.foreground) ? nil : .failure(unreachable(.foreground))
    }
  }

  private func canReach(_ wanted: LifecycleState) -> Bool {
    switch state {
    case .notStarted: earlyStop == nil || wanted == .stopped
    case .starting: wanted != .notStarted
    case .foreground, .background, .reloading: wanted != .notStarted && wanted != .starting
    case .stopping: wanted == .stopped
    case .stopped: false
    }
  }

  private func unreachable(_ wanted: LifecycleState) -> LifecycleError {
    LifecycleError(
      .stateUnreachable,
      message: "the state '\(wanted.rawValue)' can no longer be reached: the lifecycle is in "
        + "'\(state.rawValue)'", advice: "treat it as the end of the service")
  }

  private func superseded(_ wish: String) -> LifecycleError {
    LifecycleError(.superseded, message: "the opposite was asked for before the \(wish) was carried out")
  }
}
