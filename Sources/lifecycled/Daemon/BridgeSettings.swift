internal import Glibc
internal import Mediator
internal import MediatorBridge

/// What `lifecycled.conf` says to the bridge: the one place where settings become the bridge's.
struct BridgeSettings: Equatable, Sendable {
  /// Goes before the bridge's own table.
  var signals: [SignalNumber: SignalAction] = [:]

  var timeouts: LifecycleTimeouts
  var watchdog: WatchdogPolicy
  var controlReaders: ControlServer.Readers

  init(_ settings: LifecycledSettings) {
    timeouts = LifecycleTimeouts(
      start: settings.startTimeout.duration, reload: settings.reloadTimeout.duration,
      stop: settings.stopTimeout.duration,
      // Each hook has a limit of its own.
      call: nil, drainDelay: settings.drainDelay.duration ?? .zero)
    watchdog = Self.policy(settings.watchdog)
    controlReaders = Self.readers(settings.controlReaders)
    // Its own rule may say otherwise.
    signals[ControlSignal.number] = .event
    for rule in settings.signals { signals[SignalNumber(rule.signal)] = Self.action(rule.action) }
  }

  private static func readers(_ readers: LifecycledSettings.ControlReaders) -> ControlServer.Readers {
    switch readers {
    case .owner: .owner
    case .group: .group
    case .everybody: .everybody
    }
  }

  private static func policy(_ watchdog: LifecycledSettings.Watchdog) -> WatchdogPolicy {
    switch watchdog {
    case .yes: .silence
    case .no: .off
    case .trigger: .trigger
    }
  }

  private static func action(_ action: SignalRule.Action) -> SignalAction {
    switch action {
    case .reload: .reload
    case .stop: .stop
    case .pause: .pause(.operator)
    case .resume: .resume(.operator)
    case .event: .event
    case .ignore: .ignore
    case .default: .default
    }
  }
}
