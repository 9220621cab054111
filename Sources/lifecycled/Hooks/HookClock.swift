internal import Mediator

/// Runs a hook with `On=time-change`.
final class HookClock: TimeChangeListener {
  let news: HookNews
  var name: String { news.name }

  init(_ news: HookNews) { self.news = news }

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
