/// A listener for what nobody else takes: unknown verbs, URLs that all declined, signals that no other one names.
import Mediator
import MediatorBridge

actor Unknown: RequestListener, SignalListener {
  nonisolated let signals: Set<SignalNumber> = [.realtime(1), .realtime(2)]
  private(set) var seen: [String] = []

  func answer(_ request: LifecycleRequest) -> RequestAnswer {
    seen.append(request.verb)
    return .refused("there is no '\(request.verb)'")
  }

  func didReceiveSignal(_ transition: LifecycleTransition) {
    guard case .signal(let number, _, _, let value) = transition.origin else { return }
    seen.append("signal \(number.rawValue), value \(value ?? 0)")
  }
}

/// Wherever it stands, a fallback is asked last.
@ListenerBuilder
func listenersWithFallback(_ unknown: Unknown, accessLog: String) -> [ListenerEntry] {
  unknown.fallback()
  AccessLog(path: accessLog)  // names SIGRTMIN+1, so the fallback does not hear of that one
  Invoices()
  FrontDoor()
}
