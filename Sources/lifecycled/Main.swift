internal import Foundation
internal import Glibc

/// Where `lifecycled` begins: reads the command line and hands over.
@main
struct Main {
  static func main() {
    StandardStream.fillGaps()
    let status: Int32
    do throws(UsageError) {
      // All but the daemon and run stays on the first thread: what the verb becomes inherits this thread's signal mask.
      switch try Invocation(parsing: Array(CommandLine.arguments.dropFirst())) {
      case .help: status = print([HelpText.help]).rawValue
      case .version: status = print([HelpText.version]).rawValue
      case .check(let folders): status = check(folders).rawValue
      case .hidden(let verb, let arguments): status = try hidden(verb, arguments)
      case .control(let request): status = ControlCommand.run(request).rawValue
      case .unit(let options):
        try refuseBrokenText()
        status = try unit(options).rawValue
      case .daemon(let options): status = FirstThread.run { await Daemon.run(options) }
      case .run(let options):
        try refuseBrokenText()
        status = FirstThread.run { await ProgramRun.run(options) }
      }
    } catch {
      StandardStream.errors.write([error.description])
      status = ExitCode.usage.rawValue
    }
    exit(status)
  }

  private static func hidden(_ verb: String, _ arguments: [String]) throws(UsageError) -> Int32 {
    guard verb == ExecVerb.name, let verb = ExecVerb(arguments: arguments) else {
      throw UsageError(what: "there is no command \(verb.quoted)")
    }
    return verb.run(environment: ProcessInfo.processInfo.environment)
  }

  private static func check(_ folders: ConfigurationFolders) -> ExitCode {
    let report = CheckCommand.report(
      on: ConfigurationLoader.system(folders).load(), in: folders,
      output: style(of: .output), errors: style(of: .errors))
    StandardStream.errors.write(report.errors)
    return StandardStream.output.write(report.output) ? report.exitCode : .software
  }

  /// An argument that is not UTF-8 would reach the program as another one.
  private static func refuseBrokenText() throws(UsageError) {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { return }
      if unsafe String(validatingCString: argument) == nil {
        throw UsageError(what: "\(unsafe String(cString: argument).quoted) is not valid UTF-8", advice: "rename it")
      }
    }
  }

  private static func unit(_ options: RunOptions) throws(UsageError) -> ExitCode {
    print(
      try UnitCommand.lines(for: options, executable: UnitCommand.executable(), resolve: UnitCommand.resolve))
  }

  private static func print(_ lines: [String]) -> ExitCode {
    StandardStream.output.write(lines) ? .success : .software
  }

  private static func style(of stream: StandardStream) -> CheckCommand.Style {
    .init(isTable: stream.isTerminal, hasColour: stream.hasColour)
  }
}
