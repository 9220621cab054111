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
    /// The waiting task was cancelled.
    public static let cancelled = Code("cancelled")
    /// The process has a bridge already.
    public static let bridgeExists = Code("bridge exists")
    /// The system refused a call that the library cannot do without.
    public static let system = Code("system")
    /// A file of listeners, or an id in it, is not as it should be.
    public static let registry = Code("registry")
  }

  public var code: Code
  /// The name of the listener that failed, if it was one.
  public var listener: String?
  /// What happened, in words.
  public var message: String
  /// What to do about it.
  public var advice: String
  /// The error's errno, if it has one (`errno(3)`).
  public var errno: Int32?

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

  public var description: String {
    let subject = listener.map { "\($0): " } ?? ""
    return advice.isEmpty ? subject + message : "\(subject)\(message) (\(advice))"
  }
}
