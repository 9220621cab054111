/// One datagram for the service manager, as `sd_notify(3)` defines its lines.
package struct ManagerNotice: Hashable, Sendable {
  package enum State: Hashable, Sendable { case ready, reloading, reloaded, stopping }

  /// nil for a datagram that only carries STATUS.
  package var state: State?
  package var status: String?
  package var errno: Int32?

  package init(_ state: State? = nil, status: String? = nil, errno: Int32? = nil) {
    self.state = state
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
    if state == .ready || state == .reloaded { lines.append("READY=1") }
    return lines
  }
}
