internal import Mediator

/// Reads the words of a command line, one after the other, and says what is wrong with the first that does not fit.
struct ArgumentParser {
  private enum Command: String, CaseIterable {
    case run, check, unit

    /// What stands after `--` is a program with its arguments.
    var takesProgram: Bool { self != .check }
  }

  private var rest: ArraySlice<String>
  private var folder: String?
  private var logLevel: LogLevel?
  private var options: [RunOption: String] = [:]
  private var command: Command?
  private var program: [String]?
  private var asked: Invocation?
  private var endsOptions = false

  init(_ arguments: [String]) { rest = arguments[...] }

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
    case nil: return .daemon(.init(folders: folders, logLevel: logLevel))
    case .check: return .check(folders)
    case .run: return .run(try runOptions())
    case .unit: return .unit(try runOptions())
    }
  }

  private func runOptions() throws(UsageError) -> RunOptions {
    guard let program, !program.isEmpty else {
      let verb = command?.rawValue ?? ""
      throw UsageError(what: "\(verb) needs a program", advice: "write lifecycled \(verb) -- PROGRAM ARGUMENT ...")
    }
    return try RunOptions(options, command: program, logLevel: logLevel)
  }

  private func checkOptions() throws(UsageError) {
    if let command, command.takesProgram, folder != nil {
      throw UsageError(what: "--config does not go with \(command.rawValue)", advice: "leave it out")
    }
    if command == .check, logLevel != nil {
      throw UsageError(what: "--log-level does not go with check", advice: "leave it out")
    }
    if command?.takesProgram != true, let option = RunOption.allCases.first(where: { options[$0] != nil }) {
      throw UsageError(
        what: "\(option.rawValue) goes with run and unit only",
        advice: "write lifecycled run \(option.rawValue)=... -- PROGRAM")
    }
  }

  private mutating func takeCommand(_ word: String) throws(UsageError) {
    if let command {
      throw UsageError(
        what: "\(word.quoted) is too much after \(command.rawValue)",
        advice: command.takesProgram ? "write -- before the program" : nil)
    }
    guard let command = Command(rawValue: word) else {
      let advice = ["help", "version"].contains(word) ? "did you mean --\(word)?" : nil
      throw UsageError(
        what: "there is no command \(word.quoted)",
        advice: advice ?? Suggestion.advice(for: word, among: Command.allCases.map(\.rawValue)))
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
    case "--log-level":
      let value = try self.value(of: name, attached, noun: "a level")
      if logLevel != nil { throw UsageError(what: "--log-level is given twice") }
      do throws(ValueParser.Problem) {
        logLevel = try LogLevel(parsing: value)
      } catch {
        throw UsageError(what: "--log-level: \(error.what)", advice: error.advice)
      }
    default:
      guard let option = RunOption(rawValue: name) else {
        let known = ["--config", "--log-level", "--help", "--version"] + RunOption.allCases.map(\.rawValue)
        throw UsageError(what: "there is no option \(name.quoted)", advice: Suggestion.advice(for: name, among: known))
      }
      let value = try self.value(of: name, attached, noun: option.noun)
      if options.updateValue(value, forKey: option) != nil { throw UsageError(what: "\(name) is given twice") }
    }
  }

  private mutating func value(of name: String, _ attached: String?, noun: String) throws(UsageError) -> String {
    guard let value = attached ?? rest.popFirst(), !value.isEmpty, attached != nil || !value.hasPrefix("--") else {
      throw UsageError(what: "\(name) needs \(noun)")
    }
    return value
  }
}
