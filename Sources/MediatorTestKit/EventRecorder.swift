internal import Mediator

/// Keeps what happened in order, and lets a test wait for the next.
final class EventRecorder: Sendable {
  private struct State: Sendable {
    var events: [RecordedEvent] = []
    var read = 0
    var waiting: [@Sendable (RecordedEvent) -> Void] = []
  }

  private let state = Locked(State())

  var all: [RecordedEvent] { state.withLock(\.events) }

  func record(_ event: RecordedEvent) {
    let reader: (@Sendable (RecordedEvent) -> Void)? = state.withLock { state in
      state.events.append(event)
      guard !state.waiting.isEmpty else { return nil }
      state.read += 1
      return state.waiting.removeFirst()
    }
    reader?(event)
  }

  func next() async -> RecordedEvent {
    await withCheckedContinuation { continuation in
      let event: RecordedEvent? = state.withLock { state in
        guard state.read < state.events.count else {
          state.waiting.append { continuation.resume(returning: $0) }
          return nil
        }
        defer { state.read += 1 }
        return state.events[state.read]
      }
      if let event { continuation.resume(returning: event) }
    }
  }
}
