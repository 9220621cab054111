internal import Glibc
public import Mediator
internal import MediatorLinux

/// A listener whose start is over when a condition holds: another service answers, a file is there.
///
/// It looks at once, and then again after pauses that grow from 20 ms to 500 ms. While it waits, STATUS says for what
/// and why. Listeners behind it are started when it has returned.
public struct WaitFor: LifecycleListener {
  /// What is waited for, for instance "tcp db.internal:5432".
  public let name: String
  private let within: Duration
  private let time: WaitTime
  private let condition: @Sendable () async throws -> Bool

  /// Waits for a condition of your own.
  ///
  /// - Parameters:
  ///   - name: how log lines, STATUS and errors call it.
  ///   - within: how long it may take in all; then the start of this listener has failed.
  ///   - condition: true when it holds. What it throws means "not yet", and is told as the reason if it stays so. It is
  ///     cancelled when the time is over, and left behind if it does not end then; it must not block its thread.
  public init(_ name: String, within: Duration, until condition: @escaping @Sendable () async throws -> Bool) {
    self.init(name, within: within, time: WaitTime(ContinuousClock()), until: condition)
  }

  init(
    _ name: String, within: Duration, time: WaitTime, until condition: @escaping @Sendable () async throws -> Bool
  ) {
    self.name = name
    self.within = within
    self.time = time
    self.condition = condition
  }

  /// Waits until somebody accepts TCP connections; each look is a connection that is closed at once.
  ///
  /// All addresses of the host are tried in turn, IPv6 and IPv4, and the host is looked up again each time.
  public static func tcp(_ host: String, _ port: UInt16, within: Duration) -> WaitFor {
    let look = TCPLook(host: host, port: port)
    let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return WaitFor("tcp \(shown):\(port)", within: within) {
      try await BlockingCall.run("wait-for-tcp") { look.reasonAgainst() }.map { throw $0 } ?? true
    }
  }

  /// Waits until something lies at the path; a link counts as what it leads to.
  ///
  /// A socket lies there from its bind(2) on, which may be before somebody listens.
  public static func file(_ path: String, within: Duration) -> WaitFor {
    WaitFor("file \(path)", within: within) {
      let problem: LinuxError? = try await BlockingCall.run("wait-for-file") {
        do throws(LinuxError) { try SmallFile.look(at: path) } catch { return error }
        return nil
      }
      if let problem { throw WaitReason(LinuxError.text(problem.code)) }
      return true
    }
  }

  /// Returns when the condition holds.
  ///
  /// - Throws: `.listenerFailed` with ETIMEDOUT and the last reason; `.cancelled` at once when the start is cancelled.
  public func didFinishLaunching(_ transition: LifecycleTransition) async throws {
    try await wait { transition.report(progress: $0) }
  }
}

/// Why a condition does not hold yet.
package struct WaitReason: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
  init(_ description: String) { self.description = description }
}

// MARK: - Waiting

extension WaitFor {
  private enum Look: Sendable {
    case holds
    case notYet(String?)
    case cancelled
  }

  func wait(progress: @Sendable (String) -> Void) async throws(LifecycleError) {
    let end = time.passed() + within
    var interval = ProbeInterval()
    var reason: String?
    progress("waiting")
    while true {
      // Also the last look, at the end, has a little time.
      let look = await look(within: max(end - time.passed(), ProbeInterval.shortest))
      switch look {
      case .holds: return
      case .cancelled: throw LifecycleError(.cancelled, listener: name, message: "cancelled")
      case .notYet(let words?):
        if words != reason { progress("waiting: \(words)") }
        reason = words
      case .notYet(nil): break
      }
      guard let pause = interval.next(left: end - time.passed()) else { throw overdue(reason) }
      do {
        try await time.pause(pause)
      } catch {
        throw LifecycleError(.cancelled, listener: name, message: "cancelled")
      }
    }
  }

  private func look(within limit: Duration) async -> Look {
    if Task.isCancelled { return .cancelled }
    let work = LeavableTask(condition)
    guard let ending = await work.ending(within: limit, sleep: time.limit) else {
      _ = work.leaveBehind()
      return Task.isCancelled ? .cancelled : .notYet(nil)
    }
    switch ending {
    case .success(let holds): return holds ? .holds : .notYet(nil)
    case .failure(let error):
      let failure = ListenerFailure(listener: name, event: .didFinishLaunching, isRequired: true, error: error)
      return .notYet(failure.message)
    }
  }

  private func overdue(_ reason: String?) -> LifecycleError {
    LifecycleError(
      .listenerFailed, listener: name, message: "not there after \(within): \(reason ?? "no answer")",
      advice: "see that it is started before this service, or allow more time", errno: ETIMEDOUT)
  }
}
