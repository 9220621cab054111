package import Mediator

/// Which signal means what: a pure table over the situation that the process was started in.
package struct SignalMap: Hashable, Sendable {
  /// What the table depends on.
  package struct Situation: Hashable, Sendable {
    /// Not under a manager, and standard input is a terminal.
    package var onTerminal: Bool
    /// SIGHUP was ignored when the process was started, as nohup(1) does.
    package var ignoresHangup: Bool

    package init(onTerminal: Bool = false, ignoresHangup: Bool = false) {
      self.onTerminal = onTerminal
      self.ignoresHangup = ignoresHangup
    }
  }

  package private(set) var actions: [SignalNumber: SignalAction]
  private let situation: Situation

  /// - Parameters:
  ///   - overriding: what a configuration says of a signal goes before the table.
  ///   - named: signals that a listener names; they become events where they have no other meaning.
  ///   - exceptions: signals that are left alone whatever the table says.
  package init(
    _ situation: Situation, overriding: [SignalNumber: SignalAction] = [:], named: Set<SignalNumber> = [],
    exceptFor exceptions: Set<SignalNumber> = []
  ) {
    self.situation = situation
    actions = Self.table
    if situation.onTerminal {
      actions[.stopTyped] = nil
      actions[.continue] = nil
    }
    for number in named where actions[number] == nil { actions[number] = .event }
    actions.merge(overriding) { $1 }
    if situation.ignoresHangup { actions[.hangup] = .default }
    for number in exceptions { actions[number] = .default }
  }

  /// A listener names these, too; they become events where they have no other meaning.
  package mutating func name(_ numbers: Set<SignalNumber>) {
    for number in numbers where actions[number] == nil { actions[number] = .event }
  }

  /// What the signal means when nobody says otherwise; nil for none.
  package static func meaning(of number: SignalNumber) -> SignalAction? { table[number] }

  private static let table: [SignalNumber: SignalAction] = [
    .hangup: .reload,
    .terminate: .stop, .interrupt: .stop, .quit: .stop, .realtime(3): .stop,
    .user1: .pause(.operator), .stopTyped: .pause(.jobControl),
    .user2: .resume(.operator), .continue: .resume(.jobControl),
    .windowChange: .ignore, .pipe: .ignore,
    // systemd's own commands (log level, memory): their default would end the process.
    .realtime(18): .ignore,
  ]

  package var claimed: Set<SignalNumber> {
    Set(actions.filter { $0.value != .ignore && $0.value != .default }.keys)
  }

  package var ignored: Set<SignalNumber> { Set(actions.filter { $0.value == .ignore }.keys) }

  /// What this arrival of the signal means.
  ///
  /// - Parameters:
  ///   - fromKernel: nobody sent it; for SIGHUP: the terminal went away.
  ///   - canReload: a listener takes part in reloads.
  package func action(for number: SignalNumber, fromKernel: Bool, canReload: Bool) -> SignalAction {
    let action = actions[number] ?? .default
    guard action == .reload else { return action }
    let terminalIsGone = number == .hangup && fromKernel
    return terminalIsGone || (situation.onTerminal && !canReload) ? .stop : .reload
  }
}
