internal import Glibc
internal import Mediator
internal import MediatorLinux

/// Tells the service manager, from the loop: each notice one datagram, in order, never blocking.
final class ManagerVoice: Sendable {
  /// What sends one datagram, or says why it cannot.
  struct Wire: Sendable { var send: @Sendable (String, [Int32]) throws(LinuxError) -> Void }

  /// nil without a manager.
  private let wire: Wire?
  private let loop: EventLoop
  /// For what is to be reported and traced.
  private let lifecycle: Lifecycle
  private let outbox = Locked(NotifyOutbox())

  init(_ wire: Wire?, loop: EventLoop, lifecycle: Lifecycle) {
    self.wire = wire
    self.loop = loop
    self.lifecycle = lifecycle
  }

  convenience init(environment: ManagerEnvironment, loop: EventLoop, lifecycle: Lifecycle) {
    var wire: Wire?
    var trouble: LinuxError?
    do throws(LinuxError) {
      wire = try NotifySender(socketPath: environment.notifySocket).map(Self.wire)
    } catch {
      trouble = error
    }
    self.init(wire, loop: loop, lifecycle: lifecycle)
    if let trouble { lifecycle.hub.send(.notifyFailed(message: trouble.description, errno: trouble.code)) }
  }

  private static func wire(_ sender: NotifySender) -> Wire {
    Wire { text, descriptors throws(LinuxError) in try sender.send(text, descriptors: descriptors) }
  }

  func tell(_ notice: ManagerNotice) {
    guard wire != nil else { return }
    let lines = notice.lines { MonotonicClock.microseconds() }
    post(NotifyOutbox.Message(Self.text(lines), notice.state == nil ? .passing : .state))
  }

  /// Says something in another's name; it arrives like a state, with the descriptors, which are closed afterwards.
  func tell(_ lines: [String], _ descriptors: HeldDescriptors?) {
    guard wire != nil else { return }
    post(NotifyOutbox.Message(Self.text(lines), .forwarded, descriptors: descriptors))
  }

  /// The first `joined` of a process looks through all conformances, before READY.
  private static func text(_ lines: [String]) -> String {
    var text = lines.first ?? ""
    for line in lines.dropFirst() { text += "\n" + line }
    return text
  }

  var hasManager: Bool { wire != nil }

  private func post(_ message: NotifyOutbox.Message) {
    if outbox.withLock({ $0.add(message) }) == .sendNext { send() }
  }

  /// Calls back when everything was sent, or after a second: the end does not wait for a manager that never reads.
  func flush(_ done: @escaping @Sendable () -> Void) {
    let deadline = ContinuousClock.now + .seconds(1)
    wait(until: deadline, done)
  }

  private func wait(until deadline: ContinuousClock.Instant, _ done: @escaping @Sendable () -> Void) {
    if outbox.withLock({ $0.isEmpty }) || ContinuousClock.now >= deadline { return done() }
    loop.timer(after: .milliseconds(20)) { self.wait(until: deadline, done) }
  }

  private func send() {
    var step = NotifyOutbox.Step.sendNext
    while step == .sendNext, let wire, let message = outbox.withLock({ $0.next }) {
      var trouble: LinuxError?
      do throws(LinuxError) {
        try wire.send(message.text, message.descriptors?.numbers ?? [])
      } catch {
        trouble = error
      }
      let result = Self.result(of: trouble)
      let (next, isNewTrouble) = outbox.withLock { $0.sent(result) }
      step = next
      // One that is sent again has not come to its end.
      if step != .waitAndRetry { trace(message.text, trouble) }
      if isNewTrouble, let trouble {
        lifecycle.hub.send(.notifyFailed(message: trouble.description, errno: trouble.code))
      }
    }
    if step == .waitAndRetry { loop.timer(after: .milliseconds(100)) { self.send() } }
  }

  /// Sends it beside what waits; the answer is what went wrong.
  func send(_ text: String, _ descriptors: [Int32]) -> LinuxError? {
    guard let wire else { return LinuxError("sendmsg", ENOTCONN) }
    var trouble: LinuxError?
    do throws(LinuxError) { try wire.send(text, descriptors) } catch { trouble = error }
    if trouble.map({ !Self.isFull($0) }) ?? true { trace(text, trouble) }
    return trouble
  }

  static func isFull(_ trouble: LinuxError) -> Bool { result(of: trouble) == .full }

  private func trace(_ text: String, _ trouble: LinuxError?) {
    lifecycle.trace?.note(.notify(text), trouble.map { .failed($0.description) } ?? .completed, at: .now)
  }

  private static func result(of trouble: LinuxError?) -> NotifyOutbox.SendResult {
    switch trouble?.code {
    case nil: .sent
    // Too many descriptors are on their way to somebody who does not read them.
    case EAGAIN, ENOBUFS, ENOMEM, EINTR, ETOOMANYREFS: .full
    default: .failed
    }
  }
}
