/// What the command line asks for.
enum Invocation: Equatable, Sendable {
  struct DaemonOptions: Equatable, Sendable {
    var folders = ConfigurationFolders.standard
    /// Over `LogLevel=`; nil leaves it to the configuration.
    var logLevel: LogLevel?
    /// `--control`; nil: where it is by default.
    var control: String?
  }

  case daemon(DaemonOptions)
  case check(ConfigurationFolders)
  case run(RunOptions)
  /// Print the unit file for a run with these options.
  case unit(RunOptions)
  /// Ask a running lifecycled.
  case control(ControlRequest)
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
  ///
  /// What follows the `--` of `run` and `unit` is untouched.
  init(parsing arguments: [String]) throws(UsageError) {
    if let verb = arguments.first, verb.hasPrefix("@"), verb.utf8.count > 1 {
      self = .hidden(verb: verb, arguments: Array(arguments.dropFirst()))
      return
    }
    var parser = ArgumentParser(arguments)
    self = try parser.parse()
  }
}
