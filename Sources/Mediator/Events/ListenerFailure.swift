internal import Foundation

/// What a listener, or an observer's deferral, failed with.
public struct ListenerFailure: Hashable, Sendable {
  /// The name of the listener, or of the deferral.
  public var listener: String
  /// What it was being told.
  public var event: LifecycleEvent
  /// Whether its failure is that of the whole.
  public var isRequired: Bool
  /// The error in words, as it came: it may hold any character.
  public var message: String
  /// The error's errno, if it has one (`errno(3)`).
  public var errno: Int32?
  /// Whether the listener did not end in its time, and was left behind.
  public var isTimeout = false

  /// Describes a failure, for instance in a test.
  public init(listener: String, event: LifecycleEvent, isRequired: Bool, message: String, errno: Int32? = nil) {
    self.listener = listener
    self.event = event
    self.isRequired = isRequired
    self.message = message
    self.errno = errno
  }

  package init(listener: String, event: LifecycleEvent, isRequired: Bool, error: any Error) {
    let known = error as? LifecycleError
    self.init(
      listener: known?.listener ?? listener, event: event, isRequired: isRequired, message: Self.words(of: error),
      errno: known.map(\.errno) ?? Self.errno(of: error))
  }

  /// A listener that did not end in its time.
  package static func timeout(_ listener: String, _ event: LifecycleEvent, isRequired: Bool) -> ListenerFailure {
    var failure = ListenerFailure(
      listener: listener, event: event, isRequired: isRequired, message: "timed out in \(event.rawValue)",
      errno: POSIXErrorCode.ETIMEDOUT.rawValue)
    failure.isTimeout = true
    return failure
  }

  /// "NAME: why", as STATUS and log lines say it.
  package var summary: String { "\(listener): \(message)" }

  package static func words(of error: any Error) -> String {
    if let error = error as? LifecycleError { return error.message }
    if let words = (error as? any LocalizedError)?.errorDescription { return words }
    // Foundation's own errors describe themselves with their whole userInfo.
    return error is any CustomNSError || type(of: error) == NSError.self ? error.localizedDescription : "\(error)"
  }

  private static func errno(of error: any Error) -> Int32? {
    if let error = error as? POSIXError { return error.code.rawValue }
    if let error = error as? CocoaError { return (error.underlying as? POSIXError)?.code.rawValue }
    let bridged = error as NSError
    return bridged.domain == NSPOSIXErrorDomain ? Int32(truncatingIfNeeded: bridged.code) : nil
  }
}
