/// A listener with abilities: each is a protocol of its own, and asks only for the methods that it needs.
import Mediator

actor Sessions: HealthChecking, StatusReporting {
  private let most: Int
  private var open = 0

  init(most: Int) { self.most = most }

  /// STATUS, once the service has arrived in the foreground and whenever `lifecycle.updateStatus()` is called.
  var status: String { open == 0 ? "" : "\(open) sessions" }

  /// What is wrong is thrown.
  func checkHealth() throws {
    guard open < most else { throw LifecycleError(.listenerFailed, message: "all \(most) sessions are taken") }
  }

  func begin() { open += 1 }

  func willTerminate(_ transition: LifecycleTransition) { open = 0 }
}
