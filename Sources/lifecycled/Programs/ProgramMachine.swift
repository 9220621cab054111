internal import MediatorLinux

/// Decides what happens next in the life of one program: a pure value, total over every state and input.
///
/// It knows no processes and no clock; `Program` performs what it wants done.
struct ProgramMachine: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    /// Not started yet, or stopped before it was.
    case idle
    case starting
    case ready
    case reloading(Reload)
    /// It has been told to end, and this is what its end will mean.
    case ending(Cause)
    /// It is started again when the pause is over.
    case pausing
    /// For good.
    case over(ProgramEnd)
  }

  enum Reload: Sendable, Equatable {
    /// The signal or the commands are on their way.
    case asking
    /// What it does with the request is not known yet.
    case asked
    /// It says that it reloads; whether we asked for it.
    case announced(wasAsked: Bool)
    /// A check is to hold again.
    case checking
  }

  /// Why it was told to end.
  enum Cause: Sendable, Equatable {
    case stop
    case notReady
    /// It can become ready no more, for this reason.
    case neverReady(String)
    case unwell(String)
    /// Another definition, or a reload that starts it anew.
    case renewal
  }

  var phase = Phase.idle
  @Kept var definition: ProgramDefinition
  /// Starts in a row, the present one included.
  var starts = 0
  /// Restarts since the first start, for STATUS.
  var restarts = 0
  /// Why the readiness check does not hold yet.
  var reasonAgainst: String?
  /// What the program says of itself.
  var said = ""
  /// Health checks in a row that failed.
  var failedChecks = 0
  /// Why it is not well: from the check that was one too many until it is ready again.
  var trouble: String?
  var wantsStop = false
  /// A reload was asked for while it was reloading by itself.
  var wantsReload = false

  /// Whether it has been told to end.
  var isEnding: Bool { if case .ending = phase { true } else { false } }

  init(_ definition: Kept<ProgramDefinition>) { _definition = definition }

  init(_ definition: ProgramDefinition) { self.init(Kept(wrappedValue: definition)) }

  mutating func handle(_ input: ProgramInput) -> [ProgramEffect] {
    switch input {
    case .start: start()
    case .spawned: spawned()
    case .notSpawned(let message): notSpawned(message)
    case .said(let text): said(text)
    case .declared(let state): declared(state)
    case .checkHolds: checkHolds()
    case .checkFails(let reason): checkFails(reason)
    case .neverHolds(let reason): phase == .starting ? end(.neverReady(reason)) : []
    case .healthAnswer(let failure): health(failure)
    case .asksForTime(let time): asksForTime(time)
    case .reload: reload()
    case .reloadRequested: reloadRequested()
    case .reloadRefused(let reason): reloadRefused(reason)
    case .renew: renew()
    case .stop: stop()
    case .stopCommandsEnded: stopCommandsEnded()
    case .overdue(let timer): overdue(timer)
    case .exited(let status, let survivors): exited(status, survivors: survivors)
    case .endedInStop(let status): endedInStop(status)
    }
  }

  // MARK: Start

  mutating func start() -> [ProgramEffect] {
    guard phase == .idle, !wantsStop else { return [] }
    return spawn()
  }

  mutating func spawn() -> [ProgramEffect] {
    phase = .starting
    starts += 1
    (reasonAgainst, said, failedChecks) = (nil, "", 0)
    return [.spawn, .changed]
  }

  mutating func spawned() -> [ProgramEffect] {
    guard phase == .starting else { return [] }
    if definition.readiness == nil { return becameReady() }
    return [.arm(.ready, definition.readyTimeout), .beginReadiness]
  }

  private mutating func notSpawned(_ message: String) -> [ProgramEffect] {
    switch phase {
    case .starting, .ready, .reloading: ended(.failed(message, nil), counts: .failure)
    case .ending(.stop): ended(.stopped(nil), counts: .never)
    case .ending: ended(.failed(message, nil), counts: .failure)
    case .idle, .pausing, .over: []
    }
  }

  mutating func becameReady() -> [ProgramEffect] {
    phase = .ready
    (reasonAgainst, trouble) = (nil, nil)
    // Of one that is never started again there is no row of starts to be ended.
    let hasRow = starts > 1 || definition.restart != .no
    let row: [ProgramEffect] = hasRow ? [.arm(.stable, definition.startLimitInterval)] : []
    return [.disarm(.ready), .endReadiness] + row + [.beginHealth, .changed]
  }

  mutating func checkHolds() -> [ProgramEffect] {
    switch phase {
    case .starting: becameReady()
    case .reloading(.checking): reloaded()
    default: []
    }
  }

  mutating func checkFails(_ reason: String) -> [ProgramEffect] {
    guard phase == .starting || phase == .reloading(.checking), reasonAgainst != reason else { return [] }
    reasonAgainst = reason
    return [.changed]
  }

  // MARK: What it says

  mutating func said(_ text: String) -> [ProgramEffect] {
    guard said != text else { return [] }
    said = text
    return [.changed]
  }

  mutating func declared(_ state: NotifyMessage.Change) -> [ProgramEffect] {
    switch (state, phase) {
    case (.ready, .starting), (.reloaded, .starting):
      definition.readiness == .notify ? becameReady() : []
    case (.ready, .reloading(.announced)), (.reloaded, .reloading(.asked)), (.reloaded, .reloading(.announced)):
      reloaded()
    case (.reloading, .reloading(.asked)): announced(wasAsked: true)
    // The announcement may overtake our own knowing that the signal was sent.
    case (.reloading, .reloading(.asking)): announced(wasAsked: true)
    case (.reloaded, .reloading(.asking)): reloaded()
    case (.reloading, .ready): announced(wasAsked: false)
    case (.reloaded, .ready): [.ownReload(.reloaded), .changed]
    case (.stopping, .ready), (.stopping, .starting), (.stopping, .reloading): [.stopsItself]
    default: []
    }
  }

  mutating func announced(wasAsked: Bool) -> [ProgramEffect] {
    phase = .reloading(.announced(wasAsked: wasAsked))
    return [.disarm(.reload)] + (wasAsked ? [] : [.ownReload(.reloading)]) + [.changed]
  }

  private func asksForTime(_ time: TimeSpan) -> [ProgramEffect] {
    switch phase {
    case .starting: [.extend(.ready, time)]
    case .ending: [.extend(.kill, time)]
    default: []
    }
  }

  // MARK: Health

  mutating func health(_ failure: String?) -> [ProgramEffect] {
    switch phase {
    case .ready, .reloading: break
    default: return []
    }
    guard let failure else {
      failedChecks = 0
      guard trouble != nil else { return [] }
      trouble = nil
      return [.changed]
    }
    failedChecks += 1
    guard failedChecks >= (definition.health == .notify ? 1 : definition.healthThreshold) else { return [] }
    let isNew = trouble == nil
    trouble = failure
    guard definition.restart.covers(.failure(isAbnormal: true)) else { return isNew ? [.changed] : [] }
    return end(.unwell(failure))
  }

  // MARK: Time

  mutating func overdue(_ timer: ProgramTimer) -> [ProgramEffect] {
    switch (timer, phase) {
    case (.ready, .starting): return end(.notReady)
    case (.stable, _):
      starts = 1
      return []
    // It has not said that it reloads: then there is nothing to wait for.
    case (.reload, .reloading(.asked)): return reloaded()
    case (.kill, .ending): return [.kill]
    case (.pause, .pausing): return spawn()
    default: return []
    }
  }
}
