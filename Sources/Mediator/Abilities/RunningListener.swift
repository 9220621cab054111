/// A listener with work that lasts: a server's accept loop, a consumer of a queue.
///
/// `run` begins when its `didFinishLaunching` has returned. In its turn of the stop it is cancelled and waited for,
/// and then told `willTerminate`. Before that it is to go on: when a required one throws or returns, the lifecycle
/// stops, with exit status 70 (in a start: 69); an optional one makes the service degraded.
public protocol RunningListener: LifecycleListener {
  /// Works until its task is cancelled; it runs beside the callbacks, not on the delivery thread.
  func run() async throws
}
