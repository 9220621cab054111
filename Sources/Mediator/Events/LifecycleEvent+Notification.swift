public import Foundation

extension Lifecycle {
  public static let willFinishLaunchingNotification = Notification.Name("LifecycleWillFinishLaunchingNotification")
  public static let didFinishLaunchingNotification = Notification.Name("LifecycleDidFinishLaunchingNotification")
  public static let willEnterForegroundNotification = Notification.Name("LifecycleWillEnterForegroundNotification")
  public static let didBecomeActiveNotification = Notification.Name("LifecycleDidBecomeActiveNotification")
  public static let willResignActiveNotification = Notification.Name("LifecycleWillResignActiveNotification")
  public static let didEnterBackgroundNotification = Notification.Name("LifecycleDidEnterBackgroundNotification")
  public static let prepareReloadNotification = Notification.Name("LifecyclePrepareReloadNotification")
  public static let reloadNotification = Notification.Name("LifecycleReloadNotification")
  public static let revertReloadNotification = Notification.Name("LifecycleRevertReloadNotification")
  public static let willTerminateNotification = Notification.Name("LifecycleWillTerminateNotification")
  public static let didReceiveSignalNotification = Notification.Name("LifecycleDidReceiveSignalNotification")
}

extension LifecycleEvent {
  /// The name under which this event is posted; `object` is the `Lifecycle`.
  public var notificationName: Notification.Name {
    switch self {
    case .willFinishLaunching: Lifecycle.willFinishLaunchingNotification
    case .didFinishLaunching: Lifecycle.didFinishLaunchingNotification
    case .willEnterForeground: Lifecycle.willEnterForegroundNotification
    case .didBecomeActive: Lifecycle.didBecomeActiveNotification
    case .willResignActive: Lifecycle.willResignActiveNotification
    case .didEnterBackground: Lifecycle.didEnterBackgroundNotification
    case .prepareReload: Lifecycle.prepareReloadNotification
    case .reload: Lifecycle.reloadNotification
    case .revertReload: Lifecycle.revertReloadNotification
    case .willTerminate: Lifecycle.willTerminateNotification
    case .didReceiveSignal: Lifecycle.didReceiveSignalNotification
    }
  }
}

extension Notification {
  /// The transition of a lifecycle notification; nil when somebody else posted it under that name.
  public var lifecycleTransition: LifecycleTransition? {
    userInfo?[LifecycleTransition.userInfoKey] as? LifecycleTransition
  }
}
