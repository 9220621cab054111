internal import Foundation

/// An error of this library: what failed, where, and what to do about it.
public struct LifecycleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of error it is; more may be added in later versions.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    package init(_ description: String) { self.description = description }

    /// A listener failed or refused.
    public static let listenerFailed = Code("listener failed")
    /// The state that was waited for can no longer be reached.
    public static let stateUnreachable = Code("state unreachable")
    /// Somebody asked for the opposite before the request was carried out.
    public static let superseded = Code("superseded")
    /// A token names no member.
    public static let notAMember = Code("not a member")
    /// A scene cannot be connected: nobody listens to its kind, it is there already, or it was refused.
    public static let scene = Code("scene")
    /// The time for it was over.
    public static let timedOut = Code("timed out")
    /// The waiting task was cancelled.
    public static let cancelled = Code("cancelled")
    /// The process has a bridge already.
    public static let bridgeExists = Code("bridge exists")
    /// The system refused a call that the library cannot do without.
    public static let system = Code("system")
    /// A socket that the service manager was to pass is not there, or is of another kind.
    public static let socket = Code("socket")
    /// A credential is not there, or is not what it should be.
    public static let credential = Code("credential")
    /// What listeners handed over for the next run could not be kept anywhere.
    public static let stateNotSaved = Code("state not saved")
    /// A file of listeners, or an id in it, is not as it should be.
    public static let registry = Code("registry")
  }

  /// What kind of error it is, for programs to tell them apart.
  public var code: Code
  /// The name of the listener that failed, if it was one.
  public var listener: String?
  /// What happened, in words.
  public var message: String
  /// What to do about it.
  public var advice: String
  /// The error's errno, if it has one (`errno(3)`).
  public var errno: Int32?

  /// Makes an error, for instance for a listener to throw.
  ///
  /// - Parameters:
  ///   - code: what kind of error it is.
  ///   - listener: who failed; nil lets the library name the listener that threw it.
  ///   - message: what happened, in words; STATUS and log lines say it.
  ///   - advice: what to do about it; may be empty.
  ///   - errno: the number of `errno(3)`, if there is one; the service manager is told it too.
  public init(_ code: Code, listener: String? = nil, message: String, advice: String = "", errno: Int32? = nil) {
    self.code = code
    self.listener = listener
    self.message = message
    self.advice = advice
    self.errno = errno
  }

  /// A listener's failure, for whoever asked for what failed.
  package init(_ failure: ListenerFailure) {
    self.init(
      .listenerFailed, listener: failure.listener, message: failure.message,
      advice: "the old generation stays in force; mend the cause and reload again", errno: failure.errno)
  }

  /// Something took longer than it may.
  package static func timedOut(after limit: Duration) -> LifecycleError {
    LifecycleError(
      .timedOut, message: "timed out after \(limit)", errno: POSIXErrorCode.ETIMEDOUT.rawValue)
  }

  public var description: String {
    let subject = listener.map { "\($0): " } ?? ""
    return advice.isEmpty ? subject + message : "\(subject)\(message) (\(advice))"
  }
}
