/// What a lifecycle can do, which follows from the abilities of its listeners.
///
/// A source of events that nobody could use is not opened.
public enum LifecycleCapability: String, Hashable, Sendable, CaseIterable {
  /// Some listener is a `ReloadListener`.
  case reload
  /// Some listener is a `RunningListener`.
  case running
  /// Some listener is a `SynchronousListener`.
  case synchronous
  /// Some listener is a `MemoryPressureListener`.
  case memoryPressure
  /// Some listener is a `TimeChangeListener`.
  case timeChange
  /// Some listener is a `SignalListener`.
  case signals
  /// Some listener is a `RequestListener`.
  case requests
  /// Some listener is a `StateRestoring` one.
  case stateRestoring
  /// Some listener is a `HealthChecking` one.
  case health
  /// Some listener is a `TerminationDeciding` one.
  case termination
  /// Some listener is a `StatusReporting` one.
  case status
  /// Some listener is a `SceneListener`.
  case scenes
  /// Some listener is a `SecretsListener`.
  case secrets
  /// Some listener is a `SleepListener`.
  case sleep
}
