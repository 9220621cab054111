/// Where the lifecycle stands.
public enum LifecycleState: String, Hashable, Sendable, CaseIterable {
  /// `run` was not called yet.
  case notStarted
  case starting
  /// The service takes work.
  case foreground
  case reloading
  /// The service is paused.
  case background
  case stopping
  case stopped

  /// Whether it is between READY and STOPPING.
  package var isServing: Bool { self == .foreground || self == .reloading || self == .background }
}
