/// A listener whose state outlives the process: a restart, a crash, and with a state folder also stop and start.
import Mediator

actor Visitors: StateRestoring {
  struct State: Codable, Sendable {
    var count: Int
  }

  /// State of another version is reported, and left out.
  static let stateVersion = 2
  private(set) var count = 0

  /// Asked before the stop, after each reload, and at `lifecycle.saveState()`; the last answer counts.
  func encodeState() -> State? { count == 0 ? nil : State(count: count) }
  /// Offered before `didFinishLaunching`.
  func restoreState(_ state: State) { count = state.count }

  func welcome() { count += 1 }
}
