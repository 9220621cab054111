internal import Foundation
internal import Glibc

/// Where `lifecycled` begins: reads the command line and hands over.
@main
struct Main {
  static func main() async {
    StandardStream.fillGaps()
    exit(await run(Array(CommandLine.arguments.dropFirst())))
  }

  private static func run(_ arguments: [String]) async -> Int32 {
    do throws(UsageError) {
      switch try Invocation(parsing: arguments) {
      case .help: return print([HelpText.help]).rawValue
      case .version: return print([HelpText.version]).rawValue
      case .check(let folders): return check(folders).rawValue
      case .hidden(let verb, let arguments): return try hidden(verb, arguments)
      case .daemon(let options): return await Daemon.run(options)
      }
    } catch {
      StandardStream.errors.write([error.description])
      return ExitCode.usage.rawValue
    }
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
