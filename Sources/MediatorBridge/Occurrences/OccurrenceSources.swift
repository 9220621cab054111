internal import Mediator

/// The sources of news of the machine, each open only while some listener has its ability.
final class OccurrenceSources: Sendable {
  private let sources: [LifecycleCapability: any OccurrenceSource]
  private let needed = Locked<Set<LifecycleCapability>>([])

  init(_ sources: [LifecycleCapability: any OccurrenceSource]) { self.sources = sources }

  /// On the loop.
  func need(_ capabilities: Set<LifecycleCapability>) {
    let before = needed.withLock { needed in
      defer { needed = capabilities }
      return needed
    }
    for (capability, source) in sources {
      switch (before.contains(capability), capabilities.contains(capability)) {
      case (false, true): source.open()
      case (true, false): source.close()
      case (true, true), (false, false): break
      }
    }
  }

  /// On the loop.
  func prepare(_ capabilities: Set<LifecycleCapability>) {
    for (capability, source) in sources where capabilities.contains(capability) { source.prepare() }
  }

  /// On the loop.
  func lookAgain() {
    let open = needed.withLock { $0 }
    for (capability, source) in sources where open.contains(capability) { source.lookAgain() }
  }
}
