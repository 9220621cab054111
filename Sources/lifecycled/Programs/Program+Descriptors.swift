internal import Mediator
internal import MediatorLinux

/// The descriptors that the program gets at its start, from 3 on, as sd_listen_fds(3) has it.
extension Program {
  struct Passed {
    var name: String
    var number: Int32
    /// Keeps it open; nil for a socket of the manager's, which stays open anyway.
    var held: HeldDescriptors?
  }

  /// The sockets that it names, and what it has stored before.
  func passed(to definition: ProgramDefinition) -> [Passed] {
    let sockets = definition.sockets.flatMap { name in
      (surroundings.sockets[name] ?? []).map { Passed(name: name, number: $0) }
    }
    let stored = surroundings.store.descriptors(for: title, besides: definition.sockets).flatMap { kept in
      kept.held.numbers.map { Passed(name: kept.name, number: $0, held: kept.held) }
    }
    let passed = sockets + stored
    guard case .descriptor(let number) = definition.readiness, number < 3 + Int32(passed.count) else { return passed }
    let room = Int(number) - 3
    log.log(
      .warning,
      "program \(title): \(passed.count - room) of what it has stored is not passed: Ready=fd:\(number) needs the "
        + "number; write a higher one")
    return Array(passed.prefix(room))
  }

  func requireSockets(of definition: ProgramDefinition) throws(ProgramProblem) {
    for name in definition.sockets where surroundings.sockets[name] == nil {
      let names = surroundings.sockets.keys.sorted().joined(separator: ", ")
      let passed = names.isEmpty ? "none" : names
      throw ProgramProblem("Sockets=: the service manager passed no socket named \(name.quoted) (it passed: \(passed))")
    }
  }
}
