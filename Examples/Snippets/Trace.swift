/// A listener on the fast path: told of each event in one function, without a suspension.
import Mediator
import Synchronization

final class Trace: SynchronousListener {
  private let seen = Mutex<[String]>([])

  /// In the order in which they happened.
  var events: [String] { seen.withLock { $0 } }

  func handle(_ transition: LifecycleTransition) {
    seen.withLock { $0.append("\(transition.event.rawValue) (\(transition.reason.rawValue))") }
  }
}
