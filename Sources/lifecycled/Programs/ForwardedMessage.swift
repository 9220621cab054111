internal import Mediator

/// What goes on to the manager, as it is, of what the one program of `lifecycled run` says.
///
/// READY, RELOADING, STOPPING, STATUS, WATCHDOG and MONOTONIC_USEC go up as the lifecycle's own words, since its state
/// is the service's; descriptors by way of the store; nothing else does.
struct ForwardedMessage: Equatable, Sendable {
  var lines: [String]
  /// Where the lifecycle has to stand for it.
  var states: Set<LifecycleState>

  /// µs: what one EXTEND_TIMEOUT_USEC= may ask for.
  static let mostTime: UInt64 = 60_000_000

  static let beforeStop = Set(LifecycleState.allCases).subtracting([.stopping, .stopped])
  /// Where the manager's clock runs.
  private static let timed: Set<LifecycleState> = [.starting, .reloading, .stopping]

  static func parts(of message: NotifyMessage) -> [ForwardedMessage] {
    var parts: [ForwardedMessage] = []
    if let errno = message.errno {
      parts.append(ForwardedMessage(lines: ["ERRNO=\(errno)"], states: Set(LifecycleState.allCases)))
    }
    if let error = message.busError {
      parts.append(ForwardedMessage(lines: ["BUSERROR=\(error)"], states: beforeStop))
    }
    if let time = message.extendTimeout, time > 0 {
      parts.append(ForwardedMessage(lines: ["EXTEND_TIMEOUT_USEC=\(min(time, mostTime))"], states: timed))
    }
    return parts
  }
}
