internal import Mediator

/// Brings what one command prints into the log, under its hook's name.
final class HookOutput: Sendable {
  private struct State {
    var lines = OutputLines()
    var problem: ExecVerb.Problem?
    var lastLine: String?
  }

  private let name: String
  private let log: EventLog
  private let isVerb: Bool
  private let state = Locked(State())

  /// - Parameter isVerb: the command is started by lifecycled's own verb, whose report is not the program's output.
  init(name: String, log: EventLog, isVerb: Bool) {
    self.name = name
    self.log = log
    self.isVerb = isVerb
  }

  func take(_ bytes: [UInt8]) {
    for line in state.withLock({ $0.lines.take(bytes) }) { say(line) }
  }

  func end() {
    if let line = state.withLock({ $0.lines.end() }) { say(line) }
  }

  /// Why the verb did not come to run the program.
  var problem: ExecVerb.Problem? { state.withLock({ $0.problem }) }

  /// What the program printed last, but for blank lines: most programs say there why they fail.
  var lastLine: String? { state.withLock({ $0.lastLine }) }

  private func say(_ line: [UInt8]) {
    if isVerb, let problem = ExecVerb.Problem(line: line) {
      state.withLock { $0.problem = problem }
    } else {
      let text = Escaped.text(line)
      if text.contains(where: { $0 != " " && $0 != "\t" }) { state.withLock { $0.lastLine = text } }
      log.log(.output(of: name, text))
    }
  }
}
