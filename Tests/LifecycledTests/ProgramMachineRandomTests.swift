import MediatorLinux
import MediatorTestKit
import Testing

@testable import lifecycled

/// What has to hold after every sequence of inputs that a process, its checks and its owner can give.
private struct ProgramInvariants {
  /// A process runs, or is being started.
  var runs = false
  var isStarted = false
  var wasStopped = false
  var isOver = false
  var openReload = false

  /// What is wrong, if anything is.
  mutating func check(_ input: ProgramInput, _ effects: [ProgramEffect]) -> String? {
    switch input {
    case .exited, .notSpawned: runs = false
    case .stop: wasStopped = true
    case .endedInStop: (runs, wasStopped) = (false, true)
    case .reload: openReload = true
    case .renew: if !wasStopped { isOver = false }
    default: break
    }
    for effect in effects {
      switch effect {
      case .spawn:
        if runs { return "a second process" }
        if wasStopped { return "a process after the stop" }
        (runs, isStarted, isOver) = (true, true, false)
      case .over:
        if isOver { return "over twice" }
        if runs { return "over while a process runs" }
        isOver = true
      case .reloadEnded: openReload = false
      default: break
      }
    }
    return nil
  }
}

@Suite("The life of a program, at random", .timeLimit(.minutes(5)))
struct ProgramMachineRandomTests {
  /// What may come next: a process that runs can end, and only one that does says something.
  private static func inputs(_ machine: ProgramMachine, _ seen: ProgramInvariants) -> [ProgramInput] {
    var inputs: [ProgramInput] = [.start, .stop, .renew, .reload, .reloadRequested, .reloadRefused("no")]
    inputs += ProgramTimer.allCases.map(ProgramInput.overdue)
    guard seen.runs else { return inputs }
    inputs += [.exited(.exited(0), survivors: false), .exited(.exited(0), survivors: true), .notSpawned("no")]
    inputs += [.exited(.exited(1), survivors: false), .exited(.signalled(15, coreDumped: false), survivors: false)]
    inputs.append(.endedInStop(.exited(3)))
    inputs += [
      .spawned, .checkHolds, .checkFails("no"), .neverHolds("no"), .healthAnswer(nil), .healthAnswer("ill"), .said("x"),
    ]
    inputs += [.declared(.ready), .declared(.reloading), .declared(.reloaded), .declared(.stopping)]
    inputs += [.asksForTime(.seconds(1)), .stopCommandsEnded]
    return inputs
  }

  @Test("One process at a time, none after the stop, one end, and every reload is answered")
  func random() throws {
    var random = SplitMix64(state: 30_11_2026)
    let command = try HookCommand(words: ["/bin/a"])
    for sequence in 0..<20_000 {
      var definition = ProgramDefinition(name: "a.process", command: command)
      definition.readiness = [nil, .notify, .file(path: "/x"), .delay(.seconds(1))].randomElement(using: &random)!
      definition.restart = ProgramDefinition.Restart.allCases.randomElement(using: &random)!
      definition.reload = [.nothing, .signal(1), .commands([command])].randomElement(using: &random)!
      definition.stopCommands = Bool.random(using: &random) ? [command] : []
      definition.health = [nil, .notify, .file(path: "/x")].randomElement(using: &random)!
      var machine = ProgramMachine(definition)
      var seen = ProgramInvariants()
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let input = Self.inputs(machine, seen).randomElement(using: &random) ?? .start
        let phase = machine.phase
        if let fault = seen.check(input, machine.handle(input)) {
          Issue.record("sequence \(sequence): \(fault), on \(input) in \(phase), \(definition)")
          return
        }
      }
      // However it stands: a stop, and the end of what runs, are the end.
      for input in [ProgramInput.stop, .exited(.exited(0), survivors: false)] where input == .stop || seen.runs {
        if let fault = seen.check(input, machine.handle(input)) { Issue.record("\(fault)") }
      }
      #expect(seen.isOver && !seen.openReload, "sequence \(sequence) ends in \(machine.phase)")
    }
  }
}
