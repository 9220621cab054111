/// What a reload has done with a listener in its own turn, so that the mediator does not do it again.
struct EarlyTurn: Sendable {
  /// How its start went.
  var arrival: Result<Void, any Error>?
  /// It was stopped, though it is a member still.
  var hasLeft = false

  mutating func takeArrival() -> Result<Void, any Error>? {
    defer { arrival = nil }
    return arrival
  }
}
