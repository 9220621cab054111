public import Mediator

/// One listener being told of one event.
public struct RecordedEvent: Hashable, Sendable, CustomStringConvertible {
  /// The listener's name.
  public var listener: String
  /// What it was told.
  public var event: LifecycleEvent
  /// Why that happened.
  public var reason: LifecycleReason

  /// Makes what a test expects.
  public init(_ listener: String, _ event: LifecycleEvent, _ reason: LifecycleReason) {
    self.listener = listener
    self.event = event
    self.reason = reason
  }

  public var description: String { "\(listener).\(event.rawValue)(\(reason.rawValue))" }
}
