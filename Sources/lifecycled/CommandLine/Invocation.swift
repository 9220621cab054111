internal import Mediator

/// What the command line asks for.
enum Invocation: Equatable, Sendable {
  struct DaemonOptions: Equatable, Sendable {
    var folders = ConfigurationFolders.standard
    /// Over `LogLevel=`; nil leaves it to the configuration.
    var logLevel: LogLevel?
  }

  case daemon(DaemonOptions)
  case check(ConfigurationFolders)
  case help
  case version
  /// A verb that begins with `@`: lifecycled calling itself, not for people. Its arguments are untouched.
  case hidden(verb: String, arguments: [String])
}

/// Why a command line cannot be understood; printed as one line.
struct UsageError: Error, Equatable, CustomStringConvertible {
  var what: String
  var advice: String?

  var description: String {
    Escaped.text("lifecycled: \(what) (\(advice ?? "see lifecycled --help"))")
  }
}

extension Invocation {
  /// Reads the arguments, without the program's own name; options may stand before and after the command.
  init(parsing arguments: [String]) throws(UsageError) {
    if let verb = arguments.first, verb.hasPrefix("@"), verb.utf8.count > 1 {
      self = .hidden(verb: verb, arguments: Array(arguments.dropFirst()))
      return
    }
    var parser = ArgumentParser(arguments)
    self = try parser.parse()
  }
}

private struct ArgumentParser {
  private var rest: ArraySlice<String>
  private var folder: String?
  private var logLevel: LogLevel?
  private var command: String?
  private var asked: Invocation?
  private var endsOptions = false

  init(_ arguments: [String]) { rest = arguments[...] }

  mutating func parse() throws(UsageError) -> Invocation {
    while let argument = rest.popFirst() {
      if !endsOptions, argument == "--" {
        endsOptions = true
      } else if !endsOptions, argument.hasPrefix("-"), argument != "-" {
        try takeOption(argument)
      } else {
        try takeCommand(argument)
      }
    }
    // Whoever asks for help gets it, whatever else is written, as long as it can be read.
    if let asked { return asked }
    let folders = folder.map(ConfigurationFolders.only) ?? .standard
    guard command == "check" else { return .daemon(.init(folders: folders, logLevel: logLevel)) }
    if logLevel != nil {
      throw UsageError(what: "--log-level does not go with check", advice: "leave it out")
    }
    return .check(folders)
  }

  private mutating func takeCommand(_ word: String) throws(UsageError) {
    if let command { throw UsageError(what: "\(word.quoted) is too much after \(command)") }
    guard word == "check" else {
      let advice = ["help", "version"].contains(word) ? "did you mean --\(word)?" : nil
      throw UsageError(
        what: "there is no command \(word.quoted)", advice: advice ?? Suggestion.advice(for: word, among: ["check"]))
    }
    command = word
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
      let known = ["--config", "--log-level", "--help", "--version"]
      throw UsageError(what: "there is no option \(name.quoted)", advice: Suggestion.advice(for: name, among: known))
    }
  }

  private mutating func value(of name: String, _ attached: String?, noun: String) throws(UsageError) -> String {
    guard let value = attached ?? rest.popFirst(), !value.isEmpty, attached != nil || !value.hasPrefix("--") else {
      throw UsageError(what: "\(name) needs \(noun)")
    }
    return value
  }
}
