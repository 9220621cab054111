/// The names that `On=` knows, and that a hook gets as `LIFECYCLE_EVENT`.
enum HookEvent: String, Sendable, CaseIterable {
  /// didFinishLaunching
  case start
  /// didBecomeActive
  case foreground
  /// didEnterBackground
  case background
  case prepareReload = "prepare-reload"
  case reload
  case revertReload = "revert-reload"
  /// willTerminate
  case stop
  /// No event: again and again while the service is there.
  case health
  /// didReceiveMemoryWarning
  case memoryPressure = "memory-pressure"
  /// significantTimeChange
  case timeChange = "time-change"
  /// secretsDidBecomeAvailable
  case credentials
  /// didEnterBackground, because the machine goes to sleep or down.
  case sleep
  /// didBecomeActive, because that is over.
  case wake
  /// didReceiveSignal, of one signal: `On=signal:NAME`.
  case signal

  /// As `On=` knows them.
  static let words = allCases.map { $0 == .signal ? "signal:NAME" : $0.rawValue }

  /// It has no part in the service's coming and going, and happens for no reason of its own.
  var isBeside: Bool {
    switch self {
    case .health, .memoryPressure, .timeChange, .credentials, .signal: true
    case .start, .foreground, .background, .prepareReload, .reload, .revertReload, .stop, .sleep, .wake: false
    }
  }

  /// Hooks run in reverse order of their names.
  var runsInReverse: Bool { self == .background || self == .sleep || self == .stop }

  /// The narrower name of this event when the machine's sleep is the reason.
  var inSleep: HookEvent? {
    switch self {
    case .background: .sleep
    case .foreground: .wake
    default: nil
    }
  }

  /// Why this event may happen; a hook added by a reload is brought up as in a start, one removed down as in a stop.
  var possibleReasons: [HookReason] {
    switch self {
    case .start: [.start]
    case .foreground: [.start, .reload, .pause, .sleep]
    case .background: [.reload, .pause, .sleep, .stop]
    case .prepareReload, .reload, .revertReload: [.reload]
    case .stop: [.stop]
    case .sleep, .wake: [.sleep]
    case .health, .memoryPressure, .timeChange, .credentials, .signal: HookReason.allCases
    }
  }

  /// The reasons that count when `Reason=` is not written: a reload does not make foreground and background flap.
  var defaultReasons: [HookReason] {
    switch self {
    case .foreground, .background: HookReason.allCases.filter { $0 != .reload }
    case .start, .prepareReload, .reload, .revertReload, .stop, .health, .memoryPressure, .timeChange, .credentials,
      .sleep, .wake, .signal:
      HookReason.allCases
    }
  }
}
