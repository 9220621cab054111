/// A listener that can say in a few words what the service does; the last one that says something speaks.
public protocol StatusReporting: LifecycleListener {
  /// What the service does, such as "3 connections"; an empty text says nothing.
  ///
  /// It is read when the service has arrived in the foreground or the background, and when `Lifecycle.updateStatus()`
  /// asks, and becomes STATUS (`sd_notify(3)`).
  var status: String { get async }
}
