public import Foundation

extension Lifecycle {
  /// The name under which `LifecycleEvent.willFinishLaunching` is posted.
  public static let willFinishLaunchingNotification = Notification.Name("LifecycleWillFinishLaunchingNotification")
  /// The name under which `LifecycleEvent.restoreState` is posted.
  public static let restoreStateNotification = Notification.Name("LifecycleRestoreStateNotification")
  /// The name under which `LifecycleEvent.didFinishLaunching` is posted.
  public static let didFinishLaunchingNotification = Notification.Name("LifecycleDidFinishLaunchingNotification")
  /// The name under which `LifecycleEvent.willEnterForeground` is posted.
  public static let willEnterForegroundNotification = Notification.Name("LifecycleWillEnterForegroundNotification")
  /// The name under which `LifecycleEvent.didBecomeActive` is posted.
  public static let didBecomeActiveNotification = Notification.Name("LifecycleDidBecomeActiveNotification")
  /// The name under which `LifecycleEvent.willResignActive` is posted.
  public static let willResignActiveNotification = Notification.Name("LifecycleWillResignActiveNotification")
  /// The name under which `LifecycleEvent.didEnterBackground` is posted.
  public static let didEnterBackgroundNotification = Notification.Name("LifecycleDidEnterBackgroundNotification")
  /// The name under which `LifecycleEvent.prepareReload` is posted.
  public static let prepareReloadNotification = Notification.Name("LifecyclePrepareReloadNotification")
  /// The name under which `LifecycleEvent.reload` is posted.
  public static let reloadNotification = Notification.Name("LifecycleReloadNotification")
  /// The name under which `LifecycleEvent.revertReload` is posted.
  public static let revertReloadNotification = Notification.Name("LifecycleRevertReloadNotification")
  /// The name under which `LifecycleEvent.shouldTerminate` is posted.
  public static let shouldTerminateNotification = Notification.Name("LifecycleShouldTerminateNotification")
  /// The name under which `LifecycleEvent.encodeState` is posted.
  public static let encodeStateNotification = Notification.Name("LifecycleEncodeStateNotification")
  /// The name under which `LifecycleEvent.willTerminate` is posted.
  public static let willTerminateNotification = Notification.Name("LifecycleWillTerminateNotification")
  /// The name under which `LifecycleEvent.didReceiveSignal` is posted.
  public static let didReceiveSignalNotification = Notification.Name("LifecycleDidReceiveSignalNotification")
  /// The name under which `LifecycleEvent.didReceiveMemoryWarning` is posted.
  public static let didReceiveMemoryWarningNotification = Notification.Name(
    "LifecycleDidReceiveMemoryWarningNotification")
  /// The name under which `LifecycleEvent.significantTimeChange` is posted.
  public static let significantTimeChangeNotification = Notification.Name("LifecycleSignificantTimeChangeNotification")
  /// The name under which `LifecycleEvent.secretsDidBecomeAvailable` is posted.
  public static let secretsDidBecomeAvailableNotification = Notification.Name(
    "LifecycleSecretsDidBecomeAvailableNotification")
  /// The name under which `LifecycleEvent.secretsWillBecomeUnavailable` is posted.
  public static let secretsWillBecomeUnavailableNotification = Notification.Name(
    "LifecycleSecretsWillBecomeUnavailableNotification")
  /// The name under which `LifecycleEvent.didReceiveRequest` is posted.
  public static let didReceiveRequestNotification = Notification.Name("LifecycleDidReceiveRequestNotification")
}

extension LifecycleScene {
  /// The name under which `LifecycleEvent.sceneWillConnect` is posted; `object` is the scene.
  public static let willConnectNotification = Notification.Name("LifecycleSceneWillConnectNotification")
  /// The name under which `LifecycleEvent.sceneWillEnterForeground` is posted; `object` is the scene.
  public static let willEnterForegroundNotification = Notification.Name("LifecycleSceneWillEnterForegroundNotification")
  /// The name under which `LifecycleEvent.sceneDidBecomeActive` is posted; `object` is the scene.
  public static let didBecomeActiveNotification = Notification.Name("LifecycleSceneDidBecomeActiveNotification")
  /// The name under which `LifecycleEvent.sceneWillResignActive` is posted; `object` is the scene.
  public static let willResignActiveNotification = Notification.Name("LifecycleSceneWillResignActiveNotification")
  /// The name under which `LifecycleEvent.sceneDidEnterBackground` is posted; `object` is the scene.
  public static let didEnterBackgroundNotification = Notification.Name("LifecycleSceneDidEnterBackgroundNotification")
  /// The name under which `LifecycleEvent.sceneDidDisconnect` is posted; `object` is the scene.
  public static let didDisconnectNotification = Notification.Name("LifecycleSceneDidDisconnectNotification")
  /// The name under which `LifecycleEvent.sceneDidDiscard` is posted; `object` is the scene.
  public static let didDiscardNotification = Notification.Name("LifecycleSceneDidDiscardNotification")
}

extension LifecycleEvent {
  /// The name under which this event is posted; `object` is the `Lifecycle`, or the `LifecycleScene`.
  public var notificationName: Notification.Name {
    switch self {
    case .willFinishLaunching: Lifecycle.willFinishLaunchingNotification
    case .restoreState: Lifecycle.restoreStateNotification
    case .didFinishLaunching: Lifecycle.didFinishLaunchingNotification
    case .willEnterForeground: Lifecycle.willEnterForegroundNotification
    case .didBecomeActive: Lifecycle.didBecomeActiveNotification
    case .willResignActive: Lifecycle.willResignActiveNotification
    case .didEnterBackground: Lifecycle.didEnterBackgroundNotification
    case .prepareReload: Lifecycle.prepareReloadNotification
    case .reload: Lifecycle.reloadNotification
    case .revertReload: Lifecycle.revertReloadNotification
    case .shouldTerminate: Lifecycle.shouldTerminateNotification
    case .encodeState: Lifecycle.encodeStateNotification
    case .willTerminate: Lifecycle.willTerminateNotification
    case .didReceiveSignal: Lifecycle.didReceiveSignalNotification
    case .didReceiveMemoryWarning: Lifecycle.didReceiveMemoryWarningNotification
    case .significantTimeChange: Lifecycle.significantTimeChangeNotification
    case .secretsDidBecomeAvailable: Lifecycle.secretsDidBecomeAvailableNotification
    case .secretsWillBecomeUnavailable: Lifecycle.secretsWillBecomeUnavailableNotification
    case .didReceiveRequest: Lifecycle.didReceiveRequestNotification
    case .sceneWillConnect: LifecycleScene.willConnectNotification
    case .sceneWillEnterForeground: LifecycleScene.willEnterForegroundNotification
    case .sceneDidBecomeActive: LifecycleScene.didBecomeActiveNotification
    case .sceneWillResignActive: LifecycleScene.willResignActiveNotification
    case .sceneDidEnterBackground: LifecycleScene.didEnterBackgroundNotification
    case .sceneDidDisconnect: LifecycleScene.didDisconnectNotification
    case .sceneDidDiscard: LifecycleScene.didDiscardNotification
    }
  }
}

extension Notification {
  /// The transition of a lifecycle notification; nil when somebody else posted it under that name.
  public var lifecycleTransition: LifecycleTransition? {
    userInfo?[LifecycleTransition.userInfoKey] as? LifecycleTransition
  }
}
