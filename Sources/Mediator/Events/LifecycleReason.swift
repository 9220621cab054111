/// Why a transition happens.
public enum LifecycleReason: String, Hashable, Sendable, CaseIterable {
  /// The process has just been started.
  case start
  /// The configuration is read anew, and the service goes on serving.
  case reload
  /// The service is to take no work for a while, or takes it again.
  case pause
  /// The machine goes to sleep or down, or has woken.
  case sleep
  /// The service ends.
  case stop

  /// Whether a server goes on accepting work while it is in the background for this reason; true of `reload`.
  public var keepsServing: Bool { self == .reload }
}
