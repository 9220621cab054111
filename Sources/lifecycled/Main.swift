internal import Glibc

/// Where `lifecycled` begins: reads the command line and hands over.
@main
struct Main {
  static func main() {
    exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  private static func run(_ arguments: [String]) -> ExitCode {
    do throws(UsageError) {
      switch try Invocation(parsing: arguments) {
      case .help: return print([HelpText.help])
      case .version: return print([HelpText.version])
      case .check(let folders): return check(folders)
      case .hidden(let verb, _): throw UsageError(what: "there is no command \(verb.quoted)")
      case .daemon:
        StandardStream.errors.write(["lifecycled: running hooks is not there yet"])
        return .software
      }
    } catch {
      StandardStream.errors.write([error.description])
      return .usage
    }
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
