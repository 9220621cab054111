internal import MediatorLinux

extension ExitStatus {
  /// The same behind a comma, such as "exit 3".
  var noun: String { if case .exited(let status) = self { "exit \(status)" } else { text } }

  /// As messages say it, such as "exited 3" or "killed by SIGSEGV, core dumped".
  var text: String {
    switch self {
    case .exited(let status): "exited \(status)"
    case .signalled(let number, let coreDumped):
      "killed by SIG\(SignalName.name(of: number))\(coreDumped ? ", core dumped" : "")"
    case .unknown: "ended, and nobody knows how"
    }
  }
}
