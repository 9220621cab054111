internal import Mediator

/// Keeps what happened in order, and lets a test wait for what comes.
final class EventRecorder: Sendable {
  typealias Answer = Result<RecordedEvent, LifecycleError>

  private struct Waiter: Sendable {
    var number: UInt64
    var matches: @Sendable (RecordedEvent) -> Bool
    var resume: @Sendable (Answer) -> Void
  }

  private struct State: Sendable {
    var events: [RecordedEvent] = []
    /// What was returned to somebody, or skipped.
    var read = 0
    var waiting: [Waiter] = []
    /// Waits that were over before they had begun.
    var endedEarly: [UInt64: LifecycleError] = [:]
    var nextNumber: UInt64 = 0
    var isOver = false

    /// Who gets an event that nobody has read, in the order in which they came.
    mutating func serve() -> [@Sendable () -> Void] {
      var served: [@Sendable () -> Void] = []
      waiting.removeAll { waiter in
        guard let index = events[read...].firstIndex(where: waiter.matches) else { return false }
        read = index + 1
        let event = events[index]
        served.append { waiter.resume(.success(event)) }
        return true
      }
      return served
    }
  }

  private let state = Locked(State())

  var all: [RecordedEvent] { state.withLock({ $0.events }) }

  func record(_ event: RecordedEvent) {
    let served = state.withLock { state in
      state.events.append(event)
      return state.serve()
    }
    for resume in served { resume() }
  }

  /// Nothing more will come.
  func end() {
    let waiting = state.withLock { state in
      state.isOver = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume(.failure(Self.ended)) }
  }

  /// The next event that matches and was not read; those before it count as read.
  ///
  /// - Parameters:
  ///   - what: names it, for the error.
  ///   - limit: in real time.
  func next(
    _ what: String, within limit: Duration, where matches: @escaping @Sendable (RecordedEvent) -> Bool
  ) async throws(LifecycleError) -> RecordedEvent {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    let timer = Task {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      self.giveUp(number, self.late(what, limit))
    }
    let answer: Answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enter(Waiter(number: number, matches: matches, resume: { continuation.resume(returning: $0) }))
      }
    } onCancel: {
      giveUp(number, LifecycleError(.cancelled, message: "the task that waits for \(what) was cancelled"))
    }
    timer.cancel()
    state.withLock { _ = $0.endedEarly.removeValue(forKey: number) }
    return try answer.get()
  }

  private func enter(_ waiter: Waiter) {
    let served = state.withLock { state in
      state.waiting.append(waiter)
      let served = state.serve()
      guard state.waiting.last?.number == waiter.number else { return served }
      guard let error = state.endedEarly[waiter.number] ?? (state.isOver ? Self.ended : nil) else { return served }
      state.waiting.removeLast()
      return served + [{ waiter.resume(.failure(error)) }]
    }
    for resume in served { resume() }
  }

  private func giveUp(_ number: UInt64, _ error: LifecycleError) {
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
        state.endedEarly[number] = error
        return nil
      }
      return state.waiting.remove(at: index)
    }
    waiter?.resume(.failure(error))
  }

  private func late(_ what: String, _ limit: Duration) -> LifecycleError {
    let (events, read) = state.withLock { ($0.events, $0.read) }
    let unread = events[read...].map(\.description).joined(separator: ", ")
    let before = events[..<read].suffix(3).map(\.description).joined(separator: ", ")
    return LifecycleError(
      .timedOut, message: "\(what) did not come within \(limit)",
      advice: "already awaited, or skipped: \(before.isEmpty ? "nothing" : before); "
        + "not awaited yet: \(unread.isEmpty ? "nothing" : unread)")
  }

  private static let ended = LifecycleError(
    .stateUnreachable, message: "no event comes any more: the lifecycle has ended")
}
