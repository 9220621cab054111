internal import MediatorLinux

extension ProgramMachine {
  // MARK: Stop

  mutating func stop() -> [ProgramEffect] {
    wantsStop = true
    switch phase {
    case .idle:
      phase = .over(.stopped(nil))
      return [.over(.stopped(nil)), .changed]
    case .pausing:
      phase = .over(.stopped(nil))
      return [.disarm(.pause), .over(.stopped(nil)), .changed]
    case .starting, .ready, .reloading: return end(.stop)
    case .ending:
      phase = .ending(.stop)
      return []
    case .over: return []
    }
  }

  /// Ends what runs: by its commands, by its signal, and by force when its time is over.
  mutating func end(_ cause: Cause) -> [ProgramEffect] {
    var effects: [ProgramEffect] = [.disarm(.ready), .disarm(.stable), .disarm(.reload), .endReadiness, .endHealth]
    if isAskedToReload { effects.append(.reloadEnded("it was told to end")) }
    phase = .ending(cause)
    effects.append(.arm(.kill, definition.stopTimeout))
    effects.append(definition.stopCommands.isEmpty ? .signal(definition.stopSignal) : .runStopCommands)
    return effects + [.changed]
  }

  func stopCommandsEnded() -> [ProgramEffect] {
    guard case .ending = phase else { return [] }
    return [.signal(definition.stopSignal)]
  }

  // MARK: Its end

  mutating func exited(_ status: ExitStatus, survivors: Bool) -> [ProgramEffect] {
    let goneIntoBackground = status == .exited(0) && survivors
    switch phase {
    case .starting:
      if goneIntoBackground { return ended(.wentIntoBackground, counts: .never) }
      let text = "ended before it was ready, \(status.noun)"
      return ended(.failed(text, status), counts: .of(status, isReady: false))
    case .ready, .reloading:
      if goneIntoBackground { return ended(.wentIntoBackground, counts: .never) }
      return ended(.exited(status), counts: .of(status, isReady: true))
    case .ending(.stop): return ended(.stopped(status), counts: .never)
    case .ending(.notReady):
      let why = reasonAgainst.map { ": \($0)" } ?? ""
      return ended(
        .failed("not ready after \(definition.readyTimeout)\(why)", status), counts: .failure)
    case .ending(.neverReady(let reason)): return ended(.failed(reason, status), counts: .failure)
    case .ending(.unwell(let reason)): return ended(.failed("unhealthy: \(reason)", status), counts: .failure)
    case .ending(.renewal):
      starts = 0
      return [.kill, .disarm(.kill)] + spawn()
    case .idle, .pausing, .over: return []
    }
  }

  /// Whatever its status: somebody else has told it, as systemd does to all at once with `KillMode=control-group`.
  mutating func endedInStop(_ status: ExitStatus) -> [ProgramEffect] {
    wantsStop = true
    switch phase {
    case .starting, .ready, .reloading, .ending: return ended(.stopped(status), counts: .never)
    case .idle, .pausing, .over: return []
    }
  }

  mutating func ended(_ end: ProgramEnd, counts kind: EndKind) -> [ProgramEffect] {
    var effects: [ProgramEffect] = [
      .kill, .disarm(.kill), .disarm(.ready), .disarm(.stable), .disarm(.reload), .endReadiness, .endHealth,
    ]
    if isAskedToReload { effects.append(.reloadEnded("it ended: \(end.text)")) }
    guard !wantsStop, definition.restart.covers(kind) else { return effects + finish(end) }
    guard starts < definition.startLimit else {
      return effects + finish(.gaveUp(starts, end.text, end.status))
    }
    phase = .pausing
    restarts += 1
    if kind != .success, trouble == nil { trouble = end.text }
    let pause = definition.restartPause(after: starts)
    return effects + [.restarts(end, pause), .arm(.pause, pause), .changed]
  }

  mutating func finish(_ end: ProgramEnd) -> [ProgramEffect] {
    phase = .over(end)
    return [.over(end), .changed]
  }

  private var isAskedToReload: Bool {
    guard case .reloading(let reload) = phase else { return false }
    return wantsReload || reload != .announced(wasAsked: false)
  }
}
