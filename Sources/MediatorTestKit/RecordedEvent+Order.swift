public import Mediator

/// What a test asks of `LifecycleDriver.events`, or of a part of them.
extension Sequence<RecordedEvent> {
  /// The listeners that were told of an event, in the order in which they were told.
  public func names(of event: LifecycleEvent) -> [String] {
    filter { $0.event == event }.map(\.listener)
  }

  /// What a listener was told, in order.
  public func events(of listener: String) -> [LifecycleEvent] {
    filter { $0.listener == listener }.map(\.event)
  }

  /// Whether all of these happened in this order, whatever happened between them.
  public func containsInOrder(_ expected: [RecordedEvent]) -> Bool { firstMissing(inOrder: expected) == nil }

  /// The first of these that did not happen after those before it; nil when all happened in this order.
  public func firstMissing(inOrder expected: [RecordedEvent]) -> RecordedEvent? {
    var remaining = expected[...]
    for event in self where event == remaining.first { remaining.removeFirst() }
    return remaining.first
  }
}
