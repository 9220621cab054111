/// One thing that happens in the life of a daemon; each has one `Notification.Name`.
///
/// Later versions add cases: end a `switch` over events with `default`.
public enum LifecycleEvent: String, Hashable, Sendable, CaseIterable {
  /// Signals are claimed, nothing else has run.
  ///
  /// Every listener is told, whatever the others say.
  case willFinishLaunching
  /// State that an earlier run has left is offered to `StateRestoring` listeners.
  case restoreState
  /// Start work: open, bind, warm up.
  ///
  /// The failure of a required listener fails the start, and nobody after it is told.
  case didFinishLaunching
  /// The service is about to take work.
  case willEnterForeground
  /// The service takes work; after the first time the manager is told `READY=1`.
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
  /// A stop was asked for, and `TerminationDeciding` listeners say when it may begin.
  case shouldTerminate
  /// `StateRestoring` listeners hand over what the next run is to get.
  case encodeState
  /// Last call, in reverse order.
  case willTerminate
  /// A signal without another meaning arrived.
  case didReceiveSignal
  /// Memory is scarce.
  case didReceiveMemoryWarning
  /// The wall clock was set, or the time zone changed.
  case significantTimeChange
  /// Credentials can be read, or were renewed.
  case secretsDidBecomeAvailable
  /// Credentials are about to go away.
  case secretsWillBecomeUnavailable
  /// Somebody asked for something: a URL or a verb, with a payload.
  case didReceiveRequest
  /// A scene is about to connect.
  case sceneWillConnect
  /// A scene is about to take work.
  case sceneWillEnterForeground
  /// A scene takes work.
  case sceneDidBecomeActive
  /// A scene is about to leave the foreground.
  case sceneWillResignActive
  /// A scene is in the background.
  case sceneDidEnterBackground
  /// A scene has gone, and may come back under its identifier.
  case sceneDidDisconnect
  /// A scene will not come back: what is kept for it can be deleted.
  case sceneDidDiscard

  /// Whether listeners are told in reverse order of registration.
  package var isReversed: Bool {
    switch self {
    case .willResignActive, .didEnterBackground, .revertReload, .willTerminate, .encodeState, .sceneWillResignActive,
      .sceneDidEnterBackground, .sceneDidDisconnect, .sceneDidDiscard:
      true
    default: false
    }
  }

  /// Whether it belongs to one scene, and not to the whole process.
  package var isOfScene: Bool {
    switch self {
    case .sceneWillConnect, .sceneWillEnterForeground, .sceneDidBecomeActive, .sceneWillResignActive,
      .sceneDidEnterBackground, .sceneDidDisconnect, .sceneDidDiscard:
      true
    default: false
    }
  }

  /// Whether it moves nothing: it may arrive at any time, also while a transition is on its way.
  package var isOccurrence: Bool {
    switch self {
    case .didReceiveSignal, .didReceiveMemoryWarning, .significantTimeChange, .secretsDidBecomeAvailable,
      .secretsWillBecomeUnavailable, .didReceiveRequest:
      true
    default: false
    }
  }
}
