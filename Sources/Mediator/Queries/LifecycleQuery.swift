/// A question of your own to all listeners that answer it, and how their answers become one.
///
/// Make it a static constant, put `answered(by:)` entries into the listener list, and ask it with
/// `lifecycle.ask(_:)`. Answers are given beside the lifecycle's events: a question may be asked from inside a
/// callback.
public struct LifecycleQuery<Answer: Sendable, Output: Sendable>: Sendable {
  /// Two questions are the same if their names and types are.
  public let name: String
  let combiner: Combiner<Answer, Output>

  /// Makes a question.
  public init(_ name: String, _ combiner: Combiner<Answer, Output>) {
    self.name = name
    self.combiner = combiner
  }

  /// An entry that answers the question; a throw is reported, and leaves the answer out.
  ///
  /// - Parameters:
  ///   - listener: the entry's name.
  ///   - body: the answer; it is limited by the entry's `timeout`.
  public func answered(
    by listener: String, _ body: @escaping @Sendable () async throws -> Answer
  ) -> ListenerEntry {
    ListenerEntry(QueryAnswerer(name: listener, question: id, body: body))
  }

  /// An entry that answers the question through a reply, for code with callbacks.
  ///
  /// - Parameters:
  ///   - listener: the entry's name.
  ///   - body: must lead to `QueryReply.send(_:)`, at once or later. The first answer counts; a reply that is released
  ///     without one leaves the answer out.
  public func replied(by listener: String, _ body: @escaping @Sendable (QueryReply<Answer>) -> Void) -> ListenerEntry {
    answered(by: listener) {
      try await withCheckedThrowingContinuation { body(QueryReply(name: listener, continuation: $0)) }
    }
  }

  var id: QueryAnswerer.Question { QueryAnswerer.Question(name: name, answer: ObjectIdentifier(Answer.self)) }
}

/// Where one listener's answer to a question goes, once.
public final class QueryReply<Answer: Sendable>: Sendable {
  private let name: String
  private let continuation: Locked<CheckedContinuation<Answer, any Error>?>

  init(name: String, continuation: CheckedContinuation<Answer, any Error>) {
    self.name = name
    self.continuation = Locked(continuation)
  }

  deinit {
    take()?.resume(
      throwing: LifecycleError(.listenerFailed, listener: name, message: "released its reply without an answer"))
  }

  /// Gives the answer; false when it was given before.
  @discardableResult
  public func send(_ answer: Answer) -> Bool {
    let continuation = take()
    continuation?.resume(returning: answer)
    return continuation != nil
  }

  private func take() -> CheckedContinuation<Answer, any Error>? {
    continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
  }
}

/// Stands in the listener list for one answer to one question.
struct QueryAnswerer: LifecycleListener {
  struct Question: Hashable, Sendable {
    var name: String
    var answer: ObjectIdentifier
  }

  let name: String
  let question: Question
  let body: @Sendable () async throws -> any Sendable
}
