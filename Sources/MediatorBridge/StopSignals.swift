internal import Glibc
internal import Mediator

/// Counts the signals that stop the service: the third ends the process at once also when the lifecycle is over, since
/// what comes between its last event and the end of the process may hang as well.
final class StopSignals: Sendable {
  private let received = Locked(0)
  private let leaving: @Sendable () -> Void

  init(leaving: @escaping @Sendable () -> Void) { self.leaving = leaving }

  /// Until then the state machine counts for itself.
  func count(_ origin: LifecycleOrigin, isOver: Bool) {
    let count = received.withLock { received in
      received += 1
      return received
    }
    guard isOver, count >= 3, case .signal(let number, _, _, _) = origin else { return }
    leaving()
    _exit(128 + number.rawValue)
  }
}
