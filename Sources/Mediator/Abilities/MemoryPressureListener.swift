/// A listener that can give memory back.
///
/// Told while the service runs, as systemd's `MEMORY_PRESSURE` document has it: the same level again only after ten
/// seconds, what is worse at once. When all have finished, the bridge calls `malloc_trim(3)`.
public protocol MemoryPressureListener: LifecycleListener {
  /// Memory is scarce: drop caches, shrink pools.
  func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws
}
