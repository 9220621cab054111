internal import Mediator

/// Runs a hook with `On=memory-pressure`.
struct HookMemory: HookNewsListener, MemoryPressureListener {
  let news: HookNews

  func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws {
    try await news.run(.memoryPressure, transition, Self.facts(pressure))
  }

  /// What is not known is empty.
  static func facts(_ pressure: MemoryPressure) -> [String: String] {
    [
      "LIFECYCLE_PRESSURE": pressure.level.rawValue,
      "LIFECYCLE_PRESSURE_SOME": pressure.some.map { "\($0.average10)" } ?? "",
      "LIFECYCLE_PRESSURE_FULL": pressure.full.map { "\($0.average10)" } ?? "",
      "LIFECYCLE_MEMORY_USED": pressure.usedBytes.map { "\($0)" } ?? "",
    ]
  }
}
