internal import Mediator

/// A listener beside that of a hook or program, which has one ability: who needs it alone has it.
enum UnitCompanion: Sendable {
  /// What it is told; one of another kind is another listener.
  enum Kind: Hashable, Sendable {
    case health
    case memoryPressure
    case timeChange
    case credentials
    case sleep
    case signals(Set<SignalNumber>)
  }

  case hook(HookHealth)
  case program(ProgramHealth)
  case memory(HookMemory)
  case clock(HookClock)
  case secrets(HookSecrets)
  case sleep(HookSleep)
  case signals(HookSignals)

  static func kinds(of hook: HookDefinition) -> [Kind] {
    let news: [Kind] = hook.events.compactMap { event in
      switch event {
      case .health: .health
      case .memoryPressure: .memoryPressure
      case .timeChange: .timeChange
      case .credentials: .credentials
      case .signal: .signals(Set(hook.signals.map { SignalNumber($0) }))
      case .start, .foreground, .background, .prepareReload, .reload, .revertReload, .stop, .sleep, .wake: nil
      }
    }
    return hook.waitsForSleep ? news + [.sleep] : news
  }

  /// nil where there is none of that kind: all that can be asked of a program is its health.
  init?(_ kind: Kind, of listener: UnitListener, runner: HookRunner, log: EventLog) {
    switch (kind, listener) {
    case (.health, .hook(let hook)): self = .hook(HookHealth(of: hook, runner: runner, log: log))
    case (.health, .program(let program)): self = .program(ProgramHealth(of: program))
    case (.memoryPressure, .hook(let hook)): self = .memory(HookMemory(HookNews(of: hook, runner: runner)))
    case (.timeChange, .hook(let hook)): self = .clock(HookClock(HookNews(of: hook, runner: runner)))
    case (.credentials, .hook(let hook)): self = .secrets(HookSecrets(HookNews(of: hook, runner: runner)))
    case (.sleep, .hook(let hook)): self = .sleep(HookSleep(HookNews(of: hook, runner: runner)))
    case (.signals(let numbers), .hook(let hook)):
      self = .signals(HookSignals(HookNews(of: hook, runner: runner), numbers))
    case (.memoryPressure, .program), (.timeChange, .program), (.credentials, .program), (.sleep, .program),
      (.signals, .program):
      return nil
    }
  }

  var entry: ListenerEntry {
    switch self {
    case .hook(let hook): hook.entry
    case .program(let program): program.entry
    case .memory(let memory): memory.news.entry(memory)
    case .clock(let clock): clock.news.entry(clock)
    case .secrets(let secrets): secrets.news.entry(secrets)
    case .sleep(let sleep): sleep.news.entry(sleep)
    case .signals(let signals): signals.news.entry(signals)
    }
  }

  /// A program's checks are its own affair, and change and end with it; news are told to whatever definition there is.
  func definitionChanged() { if case .hook(let hook) = self { hook.definitionChanged() } }
  func end() { if case .hook(let hook) = self { hook.end() } }
}
