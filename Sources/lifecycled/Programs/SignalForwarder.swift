internal import Glibc
internal import Mediator
internal import MediatorBridge

/// Hands the signals that mean nothing to lifecycled on to the one program that it runs, if that has a handler for them.
final class SignalForwarder: SignalListener {
  let name = "signals"
  let signals: Set<SignalNumber>
  private let listener: ProgramListener

  /// - Parameter takesReload: SIGHUP is the program's, too.
  init(to listener: ProgramListener, takesReload: Bool) {
    self.listener = listener
    let stops: Set<Int32> = [SIGTERM, SIGINT, SIGQUIT]
    // Those of the terminal's job control keep the shell's meaning; faults are our own; SIGCHLD is about our children.
    let own: Set<Int32> = [
      SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP,
      SIGABRT, SIGSYS,
    ]
    let realTime = SignalName.realTime.filter { ![3, 18].contains($0 - SignalName.realTime.lowerBound) }
    var numbers = Set((1...31) + realTime).subtracting(stops).subtracting(own)
    if !takesReload { numbers.remove(SIGHUP) }
    signals = Set(numbers.map { SignalNumber($0) })
  }

  var overriding: [SignalNumber: SignalAction] { Dictionary(uniqueKeysWithValues: signals.map { ($0, .event) }) }

  func didReceiveSignal(_ transition: LifecycleTransition) async throws {
    guard case .signal(let number, _, _, _) = transition.origin else { return }
    if await listener.program?.passOn(number.rawValue) == false, number.rawValue == SIGHUP {
      // Nobody's terminal, and no program that reads anything anew: what a shell means by it.
      listener.endService()
    }
  }
}
