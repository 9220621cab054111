internal import Mediator

/// Reads the words of a command line, one after the other, and says what is wrong with the first that does not fit.
struct ArgumentParser {
  private enum Command: Equatable {
    case run, check, unit
    case control(ControlVerb)

    static let all = [Command.run, .check, .unit] + ControlVerb.allCases.map(Command.control)

    var name: String {
      switch self {
      case .run: "run"
      case .check: "check"
      case .unit: "unit"
      case .control(let verb): verb.rawValue
      }
    }

    /// What stands after `--` is a program with its arguments.
    var takesProgram: Bool { self == .run || self == .unit }
  }

  private var rest: ArraySlice<String>
  private var folder: String?
  private var logLevel: LogLevel?
  private var control: String?
  private var options: [RunOption: String] = [:]
  private var controlOptions: [ControlOption: String] = [:]
  /// What follows the command.
  private var operands: [String] = []
  private var command: Command?
  private var program: [String]?
  private var asked: Invocation?
  private var endsOptions = false

  /// Whether it is to ask a running lifecycled: `--ready` means something else to run and unit, and may stand before.
  private let isControl: Bool

  init(_ arguments: [String]) {
    rest = arguments[...]
    let words = arguments.prefix { $0 != "--" }
    let command = words.lazy.compactMap { word in Command.all.first { $0.name == word } }.first
    if case .control = command { isControl = true } else { isControl = false }
  }

  mutating func parse() throws(UsageError) -> Invocation {
    while let argument = rest.popFirst() {
      if argument == "--", command?.takesProgram == true {
        (program, rest) = (Array(rest), [])
      } else if !endsOptions, argument == "--" {
        endsOptions = true
      } else if !endsOptions, argument.hasPrefix("-"), argument != "-" {
        try takeOption(argument)
      } else {
        try takeCommand(argument)
      }
    }
    // Whoever asks for help gets it, whatever else is written, as long as it can be read.
    if let asked { return asked }
    try checkOptions()
    let folders = folder.map(ConfigurationFolders.only) ?? .standard
    switch command {
    case nil: return .daemon(.init(folders: folders, logLevel: logLevel, control: control))
    case .check: return .check(folders)
    case .run: return .run(try runOptions())
    case .unit: return .unit(try runOptions())
    case .control(let verb): return .control(try ControlRequest(verb, operands, controlOptions, path: control))
    }
  }

  private func runOptions() throws(UsageError) -> RunOptions {
    guard let program, !program.isEmpty else {
      let verb = command?.name ?? ""
      throw UsageError(what: "\(verb) needs a program", advice: "write lifecycled \(verb) -- PROGRAM ARGUMENT ...")
    }
    var run = try RunOptions(options, command: program, logLevel: logLevel)
    run.control = control
    return run
  }

  private func checkOptions() throws(UsageError) {
    if let command, command != .check, folder != nil { throw stray("--config", command) }
    if let command, !command.takesProgram, logLevel != nil { throw stray("--log-level", command) }
    if command == .check, control != nil { throw stray("--control", .check) }
    if let option = ControlOption.allCases.first(where: { controlOptions[$0] != nil }) {
      let verbs = ControlVerb.allCases.filter { $0.options.contains(option) }.map(\.rawValue)
      guard case .control = command else {
        throw UsageError(
          what: "\(option.rawValue) goes with \(verbs.joined(separator: " and ")) only",
          advice: "write lifecycled \(verbs[0]) \(option.rawValue)")
      }
    }
    if command?.takesProgram != true, let option = RunOption.allCases.first(where: { options[$0] != nil }) {
      throw UsageError(
        what: "\(option.rawValue) goes with run and unit only",
        advice: "write lifecycled run \(option.rawValue)=... -- PROGRAM")
    }
  }

  private func stray(_ option: String, _ command: Command) -> UsageError {
    UsageError(what: "\(option) does not go with \(command.name)", advice: "leave it out")
  }

  private mutating func takeCommand(_ word: String) throws(UsageError) {
    if case .control = command {
      operands.append(word)
      return
    }
    if let command {
      throw UsageError(
        what: "\(word.quoted) is too much after \(command.name)",
        advice: command.takesProgram ? "write -- before the program" : nil)
    }
    guard let command = Command.all.first(where: { $0.name == word }) else {
      let advice = ["help", "version"].contains(word) ? "did you mean --\(word)?" : nil
      throw UsageError(
        what: "there is no command \(word.quoted)",
        advice: advice ?? Suggestion.advice(for: word, among: Command.all.map(\.name)))
    }
    self.command = command
  }

  private mutating func takeOption(_ argument: String) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let (name, attached) = (parts[0], parts.count > 1 ? parts[1] : nil)
    switch name {
    case "--help", "-h", "--version":
      if attached != nil { throw UsageError(what: "\(name) takes no value") }
      if asked == nil { asked = name == "--version" ? .version : .help }
    case "--config":
      let value = try self.value(of: name, attached, noun: "a folder")
      if folder != nil {
        throw UsageError(what: "--config is given twice", advice: "one folder is read, with its drop-ins")
      }
      folder = value
    case "--control":
      let value = try self.value(of: name, attached, noun: "a path")
      if control != nil { throw UsageError(what: "--control is given twice") }
      control = value
    case "--log-level":
      let value = try self.value(of: name, attached, noun: "a level")
      if logLevel != nil { throw UsageError(what: "--log-level is given twice") }
      do throws(ValueParser.Problem) {
        logLevel = try LogLevel(parsing: value)
      } catch {
        throw UsageError(what: "--log-level: \(error.what)", advice: error.advice)
      }
    default:
      if let option = ControlOption(rawValue: name), RunOption(rawValue: name) == nil || isControl {
        return try take(option, attached)
      }
      guard let option = RunOption(rawValue: name) else {
        let known =
          ["--config", "--control", "--log-level", "--help", "--version"] + RunOption.allCases.map(\.rawValue)
          + ControlOption.allCases.map(\.rawValue)
        throw UsageError(what: "there is no option \(name.quoted)", advice: Suggestion.advice(for: name, among: known))
      }
      let value = try self.value(of: name, attached, noun: option.noun)
      if options.updateValue(value, forKey: option) != nil { throw UsageError(what: "\(name) is given twice") }
    }
  }

  private mutating func take(_ option: ControlOption, _ attached: String?) throws(UsageError) {
    if !option.takesValue, attached != nil { throw UsageError(what: "\(option.rawValue) takes no value") }
    let value = option.takesValue ? try value(of: option.rawValue, attached, noun: "a time") : ""
    if controlOptions.updateValue(value, forKey: option) != nil {
      throw UsageError(what: "\(option.rawValue) is given twice")
    }
  }

  private mutating func value(of name: String, _ attached: String?, noun: String) throws(UsageError) -> String {
    guard let value = attached ?? rest.popFirst(), !value.isEmpty, attached != nil || !value.hasPrefix("--") else {
      throw UsageError(what: "\(name) needs \(noun)")
    }
    return value
  }
}
