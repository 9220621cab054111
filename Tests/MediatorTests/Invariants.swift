import Mediator

/// What has to hold after every sequence of inputs (the design's invariants 1 to 7, and that time is kept wherever somebody is waited for), fed with each input
/// and its effects.
struct Invariants: Hashable {
  enum Told: Hashable { case nothing, ready, reloading, stopping }
  enum Place: Hashable { case none, launched, foreground, background, ended }

  private(set) var told = Told.nothing
  private var place = Place.none
  private var hasStarted = false
  /// A reload was accepted, and no reload that began after it has ended.
  private var owesReload = false
  private var reloadSucceeded = false
  private var inReload = false
  /// Somebody used up the time; then the end need not have told everybody.
  private var isOutOfTime = false
  private(set) var isFinished = false
  /// The transition that is on its way, for whoever drives the machine.
  private(set) var onItsWay: LifecycleEvent?

  /// A stop is put off, and `waited` is owed.
  private(set) var isWaiting = false
  /// Whose time runs.
  private(set) var armed: LifecycleBudget?
  /// A request that is neither posted nor refused.
  private(set) var openTicket: OccurrenceTicket?

  /// What is wrong, if anything is.
  mutating func check(
    _ input: LifecycleInput, _ effects: [LifecycleEffect], before: LifecycleStateMachine, after: LifecycleStateMachine
  ) -> String? {
    if case .ended(let event, _) = input, event == onItsWay { onItsWay = nil }
    if case .reload = input, accepts(before) { owesReload = true }
    if case .ended(.didBecomeActive, let outcome) = input, outcome.refusal(of: .didBecomeActive) == nil,
      before.state == .starting
    {
      hasStarted = true
    }
    if case .overdue(let budget) = input, budget == armed { isOutOfTime = true }
    if case .waited = input { isWaiting = false }
    if case .occurred(_, _, let ticket) = input { openTicket = ticket }
    for effect in effects {
      if let fault = check(effect) { return fault }
    }
    return checkGeneration(input, before, after) ?? checkRest(after)
  }

  private func accepts(_ machine: LifecycleStateMachine) -> Bool {
    machine.state != .stopping && machine.state != .stopped
  }

  private mutating func check(_ effect: LifecycleEffect) -> String? {
    if isFinished {
      // Whoever still asks is told that nothing comes of it.
      if case .answer(_, .droppedByStop) = effect { return nil }
      if case .refuse = effect {
        openTicket = nil
        return nil
      }
      return "an effect after the end"
    }
    switch effect {
    case .notify(let notice): return check(notice)
    case .post(let event, _, _): return check(event)
    case .answer(_, let answer):
      if case .droppedByStop = answer { owesReload = false }
      return nil
    case .arm(let budget):
      armed = budget
      return nil
    case .disarm:
      armed = nil
      return nil
    case .finish(let status):
      isFinished = true
      if ![0, 69, 70, 75].contains(status) { return "an end with \(status)" }
      if told != .stopping { return "the end without STOPPING" }
      return place == .none || place == .ended || isOutOfTime ? nil : "the end without willTerminate"
    case .postOccurrence(_, _, _, let ticket):
      if told != .ready && told != .reloading { return "a request is offered after \(told)" }
      defer { openTicket = nil }
      return ticket == openTicket ? nil : "a request is offered twice"
    case .refuse(let tickets):
      defer { openTicket = nil }
      return tickets == [openTicket] ? nil : "a request is refused twice"
    case .wait:
      defer { isWaiting = true }
      if told != .stopping || onItsWay != nil { return "a wait while something is on its way" }
      return isWaiting ? "a wait in a wait" : nil
    case .saveState:
      return told == .ready ? nil : "state is saved after \(told)"
    case .cancel, .remembered, .abandon, .passOver, .hasten, .exitNow: return nil
    }
  }

  private mutating func check(_ notice: ManagerNotice) -> String? {
    switch notice.state {
    case .ready:
      if told == .ready || told == .stopping { return "READY after \(told)" }
      if !hasStarted { return "READY before every required listener has started" }
      if told == .nothing, place != .foreground { return "the first READY outside the foreground" }
      told = .ready
      inReload = false
    case .reloading:
      if told != .ready { return "RELOADING after \(told)" }
      told = .reloading
      inReload = true
      owesReload = false
    case .reloaded:
      if told != .ready { return "RELOADING and READY after \(told)" }
      owesReload = false
    case .stopping:
      if told == .stopping { return "STOPPING twice" }
      told = .stopping
      owesReload = false
    case nil: break
    }
    if let status = notice.status, status.utf8.count > 512 { return "a STATUS of \(status.utf8.count) bytes" }
    return nil
  }

  /// The events that one listener gets, were it told everything: foreground and background alternate.
  private mutating func check(_ event: LifecycleEvent) -> String? {
    if event != .didReceiveSignal {
      if let other = onItsWay { return "\(event) while \(other) is on its way" }
      onItsWay = event
      isWaiting = false
    }
    switch event {
    case .willFinishLaunching: return place == .none ? nil : "launched twice"
    case .didFinishLaunching:
      defer { place = .launched }
      return place == .none ? nil : "launched twice"
    case .didBecomeActive:
      defer { place = .foreground }
      return place == .launched || place == .background ? nil : "foreground from \(place)"
    case .didEnterBackground:
      defer { place = .background }
      return place == .foreground || told == .stopping ? nil : "background from \(place)"
    case .prepareReload, .reload: return inReload && told == .reloading ? nil : "\(event) outside a reload"
    case .revertReload: return inReload ? nil : "\(event) outside a reload"
    case .willTerminate:
      defer { place = .ended }
      return place != .ended && told == .stopping ? nil : "willTerminate from \(place), told \(told)"
    case .willEnterForeground, .willResignActive: return nil
    case .restoreState: return place == .none ? nil : "state is restored after the launch"
    case .shouldTerminate, .encodeState: return told == .stopping ? nil : "\(event) after \(told)"
    case .didReceiveMemoryWarning, .significantTimeChange, .secretsDidBecomeAvailable, .secretsWillBecomeUnavailable,
      .didReceiveRequest, .sceneWillConnect, .sceneWillEnterForeground, .sceneDidBecomeActive, .sceneWillResignActive,
      .sceneDidEnterBackground, .sceneDidDisconnect, .sceneDidDiscard:
      return "\(event) as a transition of the lifecycle"
    case .didReceiveSignal: return told == .ready || told == .reloading ? nil : "a signal's event after \(told)"
    }
  }

  private mutating func checkGeneration(
    _ input: LifecycleInput, _ before: LifecycleStateMachine, _ after: LifecycleStateMachine
  ) -> String? {
    guard after.generation != before.generation else { return nil }
    guard case .ended(.reload, let outcome) = input, outcome.requiredFailure == nil, !outcome.wasCancelled,
      after.generation == before.generation + 1
    else { return "the generation grew with \(input)" }
    return nil
  }

  private func checkRest(_ machine: LifecycleStateMachine) -> String? {
    let isAtRest = machine.phase == .foreground || machine.phase == .background
    if isAtRest, owesReload { return "at rest, and a reload is owed" }
    if isAtRest, onItsWay != nil { return "at rest, and \(onItsWay!) is on its way" }
    if isAtRest, openTicket != nil { return "at rest, and a request waits" }
    if !isAtRest, onItsWay == nil, !isWaiting, machine.state != .notStarted, machine.state != .stopped {
      return "stuck"
    }
    return checkTime(machine)
  }

  /// Where somebody is waited for, time runs; where the service stands still, none.
  private func checkTime(_ machine: LifecycleStateMachine) -> String? {
    let fitting: Set<LifecycleBudget?>
    switch machine.state {
    case .starting: fitting = [.start]
    case .reloading: fitting = [.reload, .recovery]
    case .stopping: fitting = [.stop, .remainder, .hastened, .last]
    case .notStarted, .foreground, .background, .stopped: fitting = [nil]
    }
    return fitting.contains(armed) ? nil : "in \(machine.state) the time of \(armed?.rawValue ?? "nothing") runs"
  }
}
