/// A listener whose state outlives the process: encoded before the stop, offered to the next run before its start.
import Mediator

actor Visitors: StateRestoring {
  struct State: Codable, Sendable {
    var count: Int
  }

  /// State of another version is reported, and left out.
  static let stateVersion = 2
  private(set) var count = 0

  func encodeState() -> State? { count == 0 ? nil : State(count: count) }
  func restoreState(_ state: State) { count = state.count }

  func welcome() { count += 1 }
}
