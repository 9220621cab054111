/// What came of a reload.
public enum ReloadOutcome: Hashable, Sendable {
  /// The new generation is in force; with no listener that reloads, the generation stays what it was.
  case reloaded(generation: UInt64, Duration)
  /// The old generation stays in force.
  case failed(LifecycleError)
  /// A stop came first; the old generation stays in force until the end.
  case droppedByStop
}
