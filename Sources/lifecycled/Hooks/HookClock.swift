internal import Mediator

/// Runs a hook with `On=time-change`.
struct HookClock: HookNewsListener, TimeChangeListener {
  let news: HookNews

  func significantTimeChange(_ transition: LifecycleTransition) async throws {
    let change = transition.timeChange.map(Self.word) ?? ""
    try await news.run(.timeChange, transition, ["LIFECYCLE_TIME_CHANGE": change])
  }

  private static func word(_ change: TimeChange) -> String {
    switch change {
    case .clockWasSet: "clock"
    case .timeZoneChanged: "zone"
    }
  }
}
