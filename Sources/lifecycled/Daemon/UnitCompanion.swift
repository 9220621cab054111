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
  case news(any HookNewsListener)

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
    case (_, .hook(let hook)):
      guard let news = Self.news(kind, HookNews(of: hook, runner: runner)) else { return nil }
      self = .news(news)
    case (_, .program): return nil
    }
  }

  private static func news(_ kind: Kind, _ news: HookNews) -> (any HookNewsListener)? {
    switch kind {
    case .health: nil
    case .memoryPressure: HookMemory(news: news)
    case .timeChange: HookClock(news: news)
    case .credentials: HookSecrets(news: news)
    case .sleep: HookSleep(news: news)
    case .signals(let numbers): HookSignals(news: news, signals: numbers)
    }
  }

  var entry: ListenerEntry {
    switch self {
    case .hook(let hook): hook.entry
    case .program(let program): program.entry
    case .news(let news): news.entry
    }
  }

  /// A program's checks are its own affair, and change and end with it; news are told to whatever definition there is.
  func definitionChanged() { if case .hook(let hook) = self { hook.definitionChanged() } }
  func end() { if case .hook(let hook) = self { hook.end() } }
}
