/// One concern of a daemon, told of the events it implements; every method has an empty default.
///
/// A struct, a class, a `@MainActor` class or an actor may be one. Listeners are called one after the other, never
/// two at once, in registration order, and in reverse order for `willResignActive`, `didEnterBackground` and
/// `willTerminate`. A listener whose `didFinishLaunching` began gets `willTerminate` exactly once, even when it threw;
/// nothing is undone for `willFinishLaunching`, so acquire nothing there.
public protocol LifecycleListener: Sendable {
  /// How log lines, STATUS and errors call this listener; by default the name of its type.
  var name: String { get }
  func willFinishLaunching(_ transition: LifecycleTransition) async throws
  func didFinishLaunching(_ transition: LifecycleTransition) async throws
  func willEnterForeground(_ transition: LifecycleTransition) async throws
  func didBecomeActive(_ transition: LifecycleTransition) async throws
  func willResignActive(_ transition: LifecycleTransition) async throws
  func didEnterBackground(_ transition: LifecycleTransition) async throws
  func willTerminate(_ transition: LifecycleTransition) async throws
}

extension LifecycleListener {
  public var name: String { String(describing: Self.self) }
  public func willFinishLaunching(_ transition: LifecycleTransition) async throws {}
  public func didFinishLaunching(_ transition: LifecycleTransition) async throws {}
  public func willEnterForeground(_ transition: LifecycleTransition) async throws {}
  public func didBecomeActive(_ transition: LifecycleTransition) async throws {}
  public func willResignActive(_ transition: LifecycleTransition) async throws {}
  public func didEnterBackground(_ transition: LifecycleTransition) async throws {}
  public func willTerminate(_ transition: LifecycleTransition) async throws {}
}
