internal import Glibc
internal import Mediator
internal import MediatorBridge
internal import MediatorLinux

/// Hands the signals that mean nothing to lifecycled on to the one program that it runs, if that has a handler for them.
///
/// It does so as long as the program runs: also while that starts and while it stops, when no notification is posted.
final class SignalForwarder: Sendable {
  private let signals: Set<SignalNumber>
  private let listener: ProgramListener
  private let onTerminal: Bool

  /// - Parameters:
  ///   - takesReload: SIGHUP is the program's, too.
  ///   - onTerminal: SIGTSTP stops the program, and then us.
  init(to listener: ProgramListener, takesReload: Bool, onTerminal: Bool) {
    self.listener = listener
    self.onTerminal = onTerminal
    signals = Self.signals(takesReload: takesReload, onTerminal: onTerminal)
  }

  private static func signals(takesReload: Bool, onTerminal: Bool) -> Set<SignalNumber> {
    let stops: Set<Int32> = [SIGTERM, SIGINT, SIGQUIT]
    // Faults are our own, SIGPIPE is mostly, and SIGCHLD is about our children.
    let own: Set<Int32> = [
      SIGKILL, SIGSTOP, SIGTTIN, SIGTTOU, SIGCHLD, SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS,
    ]
    let realTime = SignalName.realTime.filter { ![3, 18].contains($0 - SignalName.realTime.lowerBound) }
    var numbers = Set((1...31) + realTime).subtracting(stops).subtracting(own)
    if !takesReload { numbers.remove(SIGHUP) }
    if onTerminal { numbers.remove(SIGCONT) }
    return Set(numbers.map { SignalNumber($0) })
  }

  var overriding: [SignalNumber: SignalAction] { Dictionary(uniqueKeysWithValues: signals.map { ($0, .event) }) }

  func follow(_ reports: AsyncStream<LifecycleReport>) async {
    for await report in reports {
      guard case .signalReceived(.signal(let number, _, _, _)) = report, signals.contains(number) else { continue }
      await handOn(number)
    }
  }

  private func handOn(_ number: SignalNumber) async {
    if onTerminal, number == .stopTyped { return await suspend() }
    if await listener.program?.passOn(number.rawValue) == false, number == .hangup {
      // Nobody's terminal, and no program that reads anything anew: what a shell means by it.
      listener.endService()
    }
  }

  /// Ctrl-Z reaches us alone, because the program has a process group of its own.
  private func suspend() async {
    let program = listener.program
    await program?.signalGroup(SIGTSTP)
    JobControl.stopSelf()
    await program?.signalGroup(SIGCONT)
  }
}
