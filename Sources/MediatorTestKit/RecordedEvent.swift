public import Mediator

/// One listener being told of one event.
public struct RecordedEvent: Hashable, Sendable, CustomStringConvertible {
  public var listener: String
  public var event: LifecycleEvent
  public var reason: LifecycleReason

  public init(_ listener: String, _ event: LifecycleEvent, _ reason: LifecycleReason) {
    self.listener = listener
    self.event = event
    self.reason = reason
  }

  public var description: String { "\(listener).\(event.rawValue)(\(reason.rawValue))" }
}
