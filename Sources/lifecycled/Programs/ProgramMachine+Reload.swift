extension ProgramMachine {
  mutating func reload() -> [ProgramEffect] {
    switch phase {
    case .ready: break
    case .reloading(.announced(wasAsked: false)):
      // What it reads now may be older than the request.
      wantsReload = true
      return []
    case .reloading: return []
    // It reads everything anew, or runs no more.
    case .idle, .starting, .ending, .pausing, .over: return [.reloadEnded(nil)]
    }
    switch definition.reload {
    case .nothing, .overlap: return [.reloadEnded(nil)]
    case .signal, .commands:
      phase = .reloading(.asking)
      return [.askForReload, .changed]
    }
  }

  mutating func reloadRequested() -> [ProgramEffect] {
    guard phase == .reloading(.asking) else { return [] }
    switch definition.readiness {
    case .notify:
      phase = .reloading(.asked)
      return [.arm(.reload, Self.announcement)]
    case .exec, .tcp, .unix, .http, .file:
      phase = .reloading(.checking)
      return [.beginReadiness]
    case .log, .descriptor, .delay, nil: return reloaded()
    }
  }

  /// How long a program with `Ready=notify` may take to say that it reloads; most that do not say it within this never
  /// do.
  static let announcement = TimeSpan.seconds(1)

  mutating func reloaded() -> [ProgramEffect] {
    let wasOwn = phase == .reloading(.announced(wasAsked: false))
    phase = .ready
    reasonAgainst = nil
    let ended: ProgramEffect = wasOwn ? .ownReload(.ready) : .reloadEnded(nil)
    let effects: [ProgramEffect] = [.disarm(.reload), .endReadiness, ended, .changed]
    guard wantsReload else { return effects }
    wantsReload = false
    return effects + reload()
  }

  mutating func reloadRefused(_ reason: String) -> [ProgramEffect] {
    guard case .reloading = phase else { return [] }
    phase = .ready
    reasonAgainst = nil
    return [.disarm(.reload), .endReadiness, .reloadEnded(reason), .changed]
  }

  /// Ends it and starts it anew, which is no failure and does not count in the row.
  mutating func renew() -> [ProgramEffect] {
    guard !wantsStop else { return [.changed] }
    switch phase {
    case .starting, .ready, .reloading: return end(.renewal)
    case .pausing:
      starts = 0
      return [.disarm(.pause)] + spawn()
    case .over:
      starts = 0
      return spawn()
    case .ending:
      phase = .ending(.renewal)
      return [.changed]
    case .idle: return [.changed]
    }
  }
}
