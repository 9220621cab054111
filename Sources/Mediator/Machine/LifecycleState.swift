/// Where the lifecycle stands.
public enum LifecycleState: String, Hashable, Sendable, CaseIterable {
  /// `run` was not called yet.
  case notStarted
  /// Listeners are being started.
  case starting
  /// The service takes work.
  case foreground
  /// A reload is on its way; the service goes on serving.
  case reloading
  /// The service is paused.
  case background
  /// Listeners are being stopped, in reverse.
  case stopping
  /// All has been said and done; the exit status is known.
  case stopped

  /// Whether it is between READY and STOPPING.
  package var isServing: Bool { self == .foreground || self == .reloading || self == .background }
}
