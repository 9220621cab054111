/// One thing that happens in the life of a daemon; each has one `Notification.Name`.
public enum LifecycleEvent: String, Hashable, Sendable, CaseIterable {
  /// Signals are claimed, nothing else has run. Every listener is told, whatever the others say.
  case willFinishLaunching
  /// Start work: open, bind, warm up. Failure of a required listener fails the start.
  case didFinishLaunching
  /// The service is about to take work.
  case willEnterForeground
  /// The service takes work. After the first one the manager is told `READY=1`.
  case didBecomeActive
  /// The service is about to leave the foreground, for the reason that the transition carries.
  case willResignActive
  /// The service is in the background, for the reason that the transition carries.
  case didEnterBackground
  /// First phase of a reload: read and validate, change nothing.
  case prepareReload
  /// Second phase of a reload: put in force what was prepared.
  case reload
  /// A later listener refused the reload: go back to what was in force before.
  case revertReload
  /// Last call, in reverse order.
  case willTerminate
  /// A signal without another meaning arrived.
  case didReceiveSignal

  /// Whether listeners are told in reverse order of registration.
  package var isReversed: Bool {
    switch self {
    case .willResignActive, .didEnterBackground, .revertReload, .willTerminate: true
    case .willFinishLaunching, .didFinishLaunching, .willEnterForeground, .didBecomeActive, .prepareReload, .reload,
      .didReceiveSignal:
      false
    }
  }
}
