internal import Foundation
internal import Glibc

/// Where `lifecycled` begins: reads the command line and hands over.
@main
struct Main {
  static func main() async {
    StandardStream.fillGaps()
    let status: Int32
    do throws(UsageError) {
      // All but the daemon stays on the first thread: what the verb becomes inherits this thread's signal mask.
      switch try Invocation(parsing: Array(CommandLine.arguments.dropFirst())) {
      case .help: status = print([HelpText.help]).rawValue
      case .version: status = print([HelpText.version]).rawValue
      case .check(let folders): status = check(folders).rawValue
      case .hidden(let verb, let arguments): status = try hidden(verb, arguments)
      case .daemon(let options): status = await Daemon.run(options)
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
      on: ConfigurationLoader.system(folders).load(),
      output: style(of: .output), errors: style(of: .errors))
    StandardStream.errors.write(report.errors)
    return StandardStream.output.write(report.output) ? report.exitCode : .software
  }

  private static func print(_ lines: [String]) -> ExitCode {
    StandardStream.output.write(lines) ? .success : .software
  }

  private static func style(of stream: StandardStream) -> CheckCommand.Style {
    .init(isTable: stream.isTerminal, hasColour: stream.hasColour)
  }
}
