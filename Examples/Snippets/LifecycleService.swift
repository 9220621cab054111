/// The bridge as one service of a group that owns SIGTERM and SIGINT.
import Mediator
import MediatorBridge

struct LifecycleService: Sendable {
  let bridge: LifecycleBridge

  init(@ListenerBuilder _ listeners: () -> [ListenerEntry]) throws(LifecycleError) {
    bridge = try LifecycleBridge(signals: .bridge(exceptFor: [.terminate, .interrupt]), listeners)
  }

  /// Returns when the lifecycle has ended; cancelling its task is a stop.
  func run() async throws {
    let status = await bridge.run()
    guard status == 0 else { throw BadEnd(exitStatus: status) }
  }

  /// For the group's handler of a graceful shutdown; does not wait.
  func shutDown() { bridge.lifecycle.requestStop() }
}

struct BadEnd: Error {
  var exitStatus: Int32
}
