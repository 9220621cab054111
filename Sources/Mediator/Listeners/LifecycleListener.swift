/// One concern of a daemon, told of the events it implements; every method has an empty default.
///
/// A struct, a class, a `@MainActor` class or an actor may be one. Listeners are called one after the other, never
/// two at once, in registration order, and in reverse order for `willResignActive`, `didEnterBackground` and
/// `willTerminate`. A listener whose `didFinishLaunching` began gets `willTerminate` exactly once, even when it threw;
/// nothing is undone for `willFinishLaunching`, so acquire nothing there.
public protocol LifecycleListener: Sendable {
  /// How log lines, STATUS and errors call this listener; by default the name of its type.
  var name: String { get }
  /// Signals are claimed, and nothing else has run; acquire nothing here, since nothing undoes it.
  func willFinishLaunching(_ transition: LifecycleTransition) async throws
  /// Opens, binds and warms up; a throw of a required listener fails the start.
  func didFinishLaunching(_ transition: LifecycleTransition) async throws
  /// The service is about to take work, after its start or a pause.
  func willEnterForeground(_ transition: LifecycleTransition) async throws
  /// The service takes work.
  func didBecomeActive(_ transition: LifecycleTransition) async throws
  /// The service is about to leave the foreground; in a reload, whose reason `keepsServing`, go on accepting work.
  func willResignActive(_ transition: LifecycleTransition) async throws
  /// The service is in the background, for the reason that the transition carries.
  func didEnterBackground(_ transition: LifecycleTransition) async throws
  /// Closes what is open, also after a start that failed half-way.
  func willTerminate(_ transition: LifecycleTransition) async throws
}

extension LifecycleListener {
  public var name: String { _typeName(Self.self, qualified: false) }
  public func willFinishLaunching(_ transition: LifecycleTransition) async throws {}
  public func didFinishLaunching(_ transition: LifecycleTransition) async throws {}
  public func willEnterForeground(_ transition: LifecycleTransition) async throws {}
  public func didBecomeActive(_ transition: LifecycleTransition) async throws {}
  public func willResignActive(_ transition: LifecycleTransition) async throws {}
  public func didEnterBackground(_ transition: LifecycleTransition) async throws {}
  public func willTerminate(_ transition: LifecycleTransition) async throws {}
}
