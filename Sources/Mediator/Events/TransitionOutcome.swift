/// How a transition ended: who failed, and whether it was cancelled before everybody was told.
package struct TransitionOutcome: Hashable, Sendable {
  package var failures: [ListenerFailure]
  package var wasCancelled: Bool
  /// How long listeners want a stop put off.
  package var delay: Duration

  package init(failures: [ListenerFailure] = [], wasCancelled: Bool = false, delay: Duration = .zero) {
    self.failures = failures
    self.wasCancelled = wasCancelled
    self.delay = delay
  }

  /// The first failure of a required listener.
  package var requiredFailure: ListenerFailure? { failures.first(where: \.isRequired) }

  /// Why what depends on everybody did not come about: a required listener failed, or not everybody was told.
  package func refusal(of event: LifecycleEvent) -> ListenerFailure? {
    if let failure = requiredFailure { return failure }
    guard wasCancelled else { return nil }
    // Whoever used up the time of the others.
    if let failure = failures.first(where: \.isTimeout) { return failure }
    return ListenerFailure(listener: event.rawValue, event: event, isRequired: true, message: "cancelled")
  }
}
