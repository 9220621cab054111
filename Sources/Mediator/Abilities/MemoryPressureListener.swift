/// A listener that can give memory back.
public protocol MemoryPressureListener: LifecycleListener {
  /// Memory is scarce: drop caches, shrink pools.
  func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws
}
