/// A listener that can tell whether its part of the service works.
public protocol HealthChecking: LifecycleListener {
  /// Returns when all is well, throws what is wrong; it runs beside the callbacks, never on the delivery thread.
  func checkHealth() async throws
}
