internal import Glibc

/// One `Signal=NAME:ACTION` of `lifecycled.conf`.
struct SignalRule: Sendable, Equatable {
  enum Action: String, Sendable, CaseIterable {
    case reload, stop, pause, resume
    /// Post `didReceiveSignal`.
    case event
    /// Claim the signal and do nothing.
    case ignore
    /// Leave it alone: the disposition stays what it was.
    case `default`
  }

  var signal: Int32
  var action: Action

  init(signal: Int32, action: Action) {
    self.signal = signal
    self.action = action
  }

  init(parsing text: String) throws(ValueParser.Problem) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw ValueParser.Problem(what: "\(text.quoted) is not of the form NAME:ACTION", advice: "for example USR1:pause")
    }
    signal = try SignalName.number(of: String(parts[0]))
    action = try ValueParser.word(String(parts[1]), Action.self, noun: "an action")
    if let reason = Self.refusal(of: signal) {
      throw ValueParser.Problem(what: "\(SignalName.name(of: signal)) cannot be given an action: \(reason)")
    }
  }

  /// Why nobody but the system may say what the signal does; nil for the others.
  static func refusal(of signal: Int32) -> String? {
    switch signal {
    case SIGKILL, SIGSTOP: "the kernel delivers it to nobody"
    case SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS: "it means that the program itself is broken"
    case SIGCHLD: "lifecycled needs it for its own children"
    default: nil
    }
  }
}
