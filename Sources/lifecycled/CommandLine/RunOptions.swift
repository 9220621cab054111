/// What `lifecycled run` and `lifecycled unit` were asked for: one program, and what its end means.
struct RunOptions: Equatable, Sendable {
  /// What `lifecycled run` exits with; a signal counts as 128 plus its number.
  enum ExitStatus: String, Sendable, CaseIterable {
    /// The program's own, but 0 after a stop that was asked for if the program exited 0 or died by the stop signal.
    case own
    /// The program's own, always.
    case raw
  }

  /// Its command is a `.typed` one, and its name the one of `--name` or the last part of the program's path.
  var program: ProgramDefinition
  var exitStatus = ExitStatus.own
  /// nil: as `lifecycled` itself has it by default.
  var logLevel: LogLevel?
  /// `--control`; without it, and without `$LIFECYCLE_CONTROL`, there is no control socket.
  var control: String?
}

/// The options that only `run` and `unit` have; each takes a value.
enum RunOption: String, Sendable, CaseIterable {
  case ready = "--ready"
  case readyTimeout = "--ready-timeout"
  case health = "--health"
  case reloadSignal = "--reload-signal"
  case stopSignal = "--stop-signal"
  case stopTimeout = "--stop-timeout"
  case notifyAccess = "--notify-access"
  case name = "--name"
  case exitStatus = "--exit-status"

  /// What a message calls its value.
  var noun: String {
    switch self {
    case .ready, .health: "a check"
    case .readyTimeout, .stopTimeout: "a time"
    case .reloadSignal, .stopSignal: "a signal"
    case .notifyAccess: "main, all or none"
    case .name: "a name"
    case .exitStatus: "own or raw"
    }
  }
}

extension RunOptions {
  /// - Parameters:
  ///   - values: as typed, by option.
  ///   - words: the program and its arguments; there is at least one.
  init(_ values: [RunOption: String], command words: [String], logLevel: LogLevel?) throws(UsageError) {
    let command: HookCommand
    do throws(HookCommand.Problem) {
      command = try HookCommand(typed: words)
    } catch {
      throw UsageError(what: error.what, advice: error.advice)
    }
    let name = values[.name] ?? command.program.split(separator: "/").last.map(String.init) ?? ""
    try Self.checkName(name)
    program = ProgramDefinition(name: name, command: command)
    self.logLevel = logLevel
    for option in RunOption.allCases {
      guard let value = values[option] else { continue }
      do throws(ValueParser.Problem) {
        try take(option, value)
      } catch {
        throw UsageError(what: "\(option.rawValue): \(error.what)", advice: error.advice)
      }
    }
    if values[.readyTimeout] != nil, values[.ready] == nil {
      throw UsageError(what: "--ready-timeout means nothing without --ready", advice: "write --ready=CHECK")
    }
    try refuseContradictions()
  }

  private mutating func take(_ option: RunOption, _ value: String) throws(ValueParser.Problem) {
    switch option {
    case .ready: program.readiness = try Self.check(value, for: .readiness)
    case .readyTimeout: program.readyTimeout = try ValueParser.timeout(value)
    case .health: program.health = try Self.check(value, for: .health)
    case .reloadSignal: program.reload = .signal(try SignalName.reload(value))
    case .stopSignal: program.stopSignal = try SignalName.stop(value)
    case .stopTimeout: program.stopTimeout = try ValueParser.timeout(value)
    case .notifyAccess:
      program.notifyAccess = try ValueParser.word(value, ProgramDefinition.NotifyAccess.self, noun: "an access")
    case .name: break
    case .exitStatus: exitStatus = try ValueParser.word(value, ExitStatus.self, noun: "an exit status")
    }
  }

  /// The words of a command are quoted as in a unit file; specifiers and variables are the shell's business.
  private static func check(_ text: String, for purpose: ProgramCheck.Purpose) throws(ValueParser.Problem)
    -> ProgramCheck
  {
    guard let command = ProgramCheck.commandText(in: text) else { return try ProgramCheck(parsing: text, for: purpose) }
    let split = CommandSplitter.split(command)
    if let problem = split.problem { throw .init(what: problem) }
    if split.commands.count > 1 { throw .init(what: "a check has one command, not \(split.commands.count)") }
    guard let words = split.commands.first else {
      throw .init(what: "there is no program to run", advice: "write 'exec COMMAND'")
    }
    do throws(HookCommand.Problem) {
      return .exec(try HookCommand(typed: words))
    } catch {
      throw .init(what: error.what, advice: error.advice)
    }
  }

  private static func checkName(_ name: String) throws(UsageError) {
    let isName =
      (1...200).contains(name.utf8.count) && Escaped.text(name) == name && !name.contains("/") && !name.contains("\\")
      && !name.contains("\t")
    if !isName {
      throw UsageError(what: "\(name.quoted) cannot be the name of a program", advice: "write --name=NAME")
    }
  }

  private func refuseContradictions() throws(UsageError) {
    if program.isNeverReady {
      throw UsageError(
        what: "--ready: it would never be ready: --ready-timeout is \(program.readyTimeout)",
        advice: "write a --ready-timeout that is longer, or a shorter delay")
    }
    if program.listensToNobody {
      throw UsageError(
        what: "--notify-access: nobody could say what a check of notify waits for", advice: "write main or all")
    }
    if program.stopsWhenReloaded {
      throw UsageError(
        what: "--reload-signal: \(SignalName.name(of: program.stopSignal)) is the signal that stops it",
        advice: "write another one here or in --stop-signal")
    }
  }
}
