internal import Mediator

/// Runs a hook with `On=signal:NAME`.
struct HookSignals: HookNewsListener, SignalListener {
  let news: HookNews
  let signals: Set<SignalNumber>

  func didReceiveSignal(_ transition: LifecycleTransition) async throws {
    // Somebody else's post tells of no signal.
    guard case .signal(let number, _, _, _) = transition.origin, signals.contains(number) else { return }
    try await news.run(.signal, transition, Self.facts(transition.origin))
  }

  /// The value is empty for a signal that brings none (`kill(2)`); the sender is 0 where nobody knows it.
  static func facts(_ origin: LifecycleOrigin) -> [String: String] {
    guard case .signal(let number, let pid, let uid, let value) = origin else { return [:] }
    let name = SignalName.name(of: number.rawValue)
    return [
      "LIFECYCLE_EVENT": "signal:\(name)", "LIFECYCLE_SIGNAL": name, "LIFECYCLE_VALUE": value.map { "\($0)" } ?? "",
      "LIFECYCLE_SENDER_PID": "\(pid)", "LIFECYCLE_SENDER_UID": "\(uid)",
    ]
  }
}
