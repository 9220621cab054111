/// Why a transition happens.
public enum LifecycleReason: String, Hashable, Sendable, CaseIterable {
  case start
  case reload
  case pause
  /// The machine goes to sleep, or has woken.
  case sleep
  case stop

  /// Whether a server goes on accepting work while it is in the background for this reason; true of `reload`.
  public var keepsServing: Bool { self == .reload }
}
