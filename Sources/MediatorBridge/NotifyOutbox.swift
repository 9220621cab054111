package import MediatorLinux

/// Decides what is sent to the manager again when its socket is full, and what is reported: a pure value.
///
/// READY, STOPPING and RELOADING are kept in order until they were sent; what only carries STATUS is dropped when it
/// cannot be sent at once. An error other than a full socket is final for its message. Trouble, also that of a full
/// socket, is reported once, until a send succeeds again.
package struct NotifyOutbox: Sendable {
  /// What becomes of a message that cannot be sent at once.
  package enum Weight: Hashable, Sendable {
    /// It is dropped: the next one says more.
    case passing
    /// It is sent again, for as long as there is room.
    case forwarded
    /// READY, STOPPING, RELOADING: it is sent again, and others make room for it.
    case state
  }

  package struct Message: Sendable {
    package var text: String
    package var weight: Weight
    /// They stay open until the message was sent, or dropped.
    package var descriptors: HeldDescriptors?

    package init(_ text: String, _ weight: Weight, descriptors: HeldDescriptors? = nil) {
      self.text = text
      self.weight = weight
      self.descriptors = descriptors
    }
  }

  /// What a send came to.
  package enum SendResult: Hashable, Sendable {
    case sent
    /// EAGAIN, ENOBUFS: the manager does not read.
    case full
    case failed
  }

  /// What to do after a send.
  package enum Step: Hashable, Sendable { case sendNext, waitAndRetry, idle }

  /// Beyond this the oldest messages are dropped, and states last: a manager that never reads must not cost memory
  /// without end, and a program that talks all the time must not push out what we say of ourselves.
  private static let limit = 256
  private var waiting: [Message] = []
  private var isRetrying = false
  private var isInTrouble = false

  package init() {}

  package var next: Message? { waiting.first }
  package var isEmpty: Bool { waiting.isEmpty }

  /// Takes a message; the answer says whether to send now or to leave it to the retry that is under way.
  package mutating func add(_ message: Message) -> Step {
    if isRetrying, message.weight == .passing { return .idle }
    if message.weight != .state, message.descriptors == nil, waiting.last?.text == message.text {
      return isRetrying ? .idle : .sendNext
    }
    if waiting.count == Self.limit {
      // The first one may be on its way just now.
      waiting.remove(at: waiting.indices.dropFirst().first { waiting[$0].weight != .state } ?? 1)
    }
    waiting.append(message)
    return isRetrying ? .idle : .sendNext
  }

  /// Notes the result of sending `next`. The flag says whether this is the first of a row of failures.
  package mutating func sent(_ result: SendResult) -> (step: Step, isNewTrouble: Bool) {
    guard let message = waiting.first else { return (.idle, false) }
    let isNewTrouble = result != .sent && !isInTrouble
    isInTrouble = result != .sent
    isRetrying = result == .full && message.weight != .passing
    if isRetrying { return (.waitAndRetry, isNewTrouble) }
    waiting.removeFirst()
    return (waiting.isEmpty ? .idle : .sendNext, isNewTrouble)
  }
}
