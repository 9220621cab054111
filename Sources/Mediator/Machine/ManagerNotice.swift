/// One datagram for the service manager, as `sd_notify(3)` defines its lines.
package struct ManagerNotice: Hashable, Sendable {
  package enum State: Hashable, Sendable { case ready, reloading, reloaded, stopping }

  /// nil for a datagram that only carries STATUS.
  package var state: State?
  package var status: String?
  package var errno: Int32?
  /// How much longer the manager is to wait, in µs; from 1 to 5,000,000.
  package var extensionMicroseconds: Int64?
  package var watchdog: Watchdog?

  package enum Watchdog: String, Hashable, Sendable {
    case ping = "1"
    case trigger
  }

  /// A datagram that says nothing but that all is well, or that nothing is.
  package init(watchdog: Watchdog) { self.watchdog = watchdog }

  package init(_ state: State? = nil, status: String? = nil, errno: Int32? = nil, extending: Duration? = nil) {
    self.state = state
    extensionMicroseconds = extending.map(Self.microseconds)
    self.status = status.map(StatusText.clean)
    self.errno = errno
  }

  /// The lines of the datagram; RELOADING needs the time, in µs of CLOCK_MONOTONIC.
  ///
  /// `reloaded` is a whole reload in one datagram: READY=1 comes last, since systemd 252 lets the last line win.
  package func lines(monotonicMicroseconds: () -> UInt64) -> [String] {
    var lines: [String] = []
    switch state {
    case .reloading, .reloaded: lines += ["RELOADING=1", "MONOTONIC_USEC=\(monotonicMicroseconds())"]
    case .stopping: lines.append("STOPPING=1")
    case .ready, nil: break
    }
    if let status { lines.append("STATUS=\(status)") }
    if let errno { lines.append("ERRNO=\(errno)") }
    if let extensionMicroseconds { lines.append("EXTEND_TIMEOUT_USEC=\(extensionMicroseconds)") }
    if let watchdog { lines.append("WATCHDOG=\(watchdog.rawValue)") }
    if state == .ready || state == .reloaded { lines.append("READY=1") }
    return lines
  }

  private static func microseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    if seconds >= 5 { return 5_000_000 }
    return max(1, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }
}
