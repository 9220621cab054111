/// How a process ended.
package enum ExitStatus: Hashable, Sendable {
  case exited(Int32)
  case signalled(Int32, coreDumped: Bool)
  /// Somebody else in this process reaped it (a `waitpid(-1)`), and the status went there.
  case unknown

  package var isSuccess: Bool { self == .exited(0) }
}
