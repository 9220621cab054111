/// How many connections were served in all: a number that a restart, a crash and a stop do not set back to zero.
import Foundation
import Mediator
import MediatorBridge
import Synchronization

final class Tally: StateRestoring, StatusReporting, SignalListener {
  struct State: Codable, Sendable {
    var connections: Int
  }

  /// To be raised when an older `State` cannot be read any more; it is then left out, and the log says so.
  static let stateVersion = 1

  private let connections = Mutex(0)
  private let lifecycle = Mutex<Lifecycle?>(nil)

  /// `kill -s RTMIN+1` saves at once; by itself it is saved after each reload and before each stop.
  let signals: Set<SignalNumber> = [.realtime(1)]

  /// May be called from any thread.
  func add() { connections.withLock { $0 += 1 } }

  var count: Int { connections.withLock(\.self) }

  /// For saving on demand, which is the lifecycle's work.
  func save(with lifecycle: Lifecycle) { self.lifecycle.withLock { $0 = lifecycle } }

  func encodeState() -> State? { State(connections: count) }

  /// Comes before `didFinishLaunching`, when there is something to come back to.
  func restoreState(_ state: State) { connections.withLock { $0 = state.connections } }

  func didFinishLaunching(_ transition: LifecycleTransition) {
    let cause = transition.context.start.cause.rawValue
    try? FileHandle.standardOutput.write(contentsOf: Data("\(count) connections before (\(cause))\n".utf8))
  }

  /// A callback must not wait for what waits for callbacks, so it is done beside.
  func didReceiveSignal(_ transition: LifecycleTransition) {
    guard let lifecycle = lifecycle.withLock(\.self) else { return }
    Task { try? await lifecycle.saveState() }
  }

  var status: String { "\(count) connections served" }
}
