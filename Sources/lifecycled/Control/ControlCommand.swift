internal import Foundation
internal import Glibc
internal import Mediator
internal import MediatorBridge
internal import MediatorLinux

/// Carries out a command that asks a running lifecycled, and prints what it answers.
struct ControlCommand {
  /// For what only reads.
  private static let patience = Duration.seconds(10)
  /// At least so long is waited for an answer, however little is left.
  private static let shortest = Duration.milliseconds(100)

  let path: String

  /// The exit status.
  static func run(_ request: ControlRequest) -> ExitCode {
    guard let path = ControlPath.current(option: request.path) else {
      return complain(
        "there is no socket to ask: $XDG_RUNTIME_DIR is not set", advice: "write --control PATH",
        .unavailable)
    }
    do throws(ControlClient.Failure) {
      return try ControlCommand(path: path).run(request.action)
    } catch {
      return complain(error)
    }
  }

  private func run(_ action: ControlRequest.Action) throws(ControlClient.Failure) -> ExitCode {
    switch action {
    case .status(let form): return try status(form)
    case .reload: return try reload()
    case .background: return try move("Background", to: "background")
    case .foreground: return try move("Foreground", to: "foreground")
    case .stop: return try stop()
    case .open(let url): return try request { $0.member("url", url) }
    case .send(let verb, let payload):
      return try request { json in
        json.member("verb", verb)
        if let payload { json.member("payload") { $0.raw(payload.utf8) } }
      }
    case .watch(let json): return try watch(json: json)
    case .logLevel(let level): return try logLevel(level)
    case .analyze(let analysis): return try analyze(analysis)
    }
  }

  // MARK: Status

  private func status(_ form: ControlRequest.Form) throws(ControlClient.Failure) -> ExitCode {
    switch form {
    case .table:
      let client = try ControlClient(path: path, within: Self.patience)
      let state = try client.call("GetState")
      let listeners = try client.call("GetListeners")
      let style = StatusTable.Style(
        hasColour: StandardStream.output.hasColour, width: StandardStream.output.columns)
      return Self.print(try StatusTable.lines(Self.decode(state), Self.decode(listeners), style: style))
    case .json:
      let client = try ControlClient(path: path, within: Self.patience)
      let state = try client.call("GetState").bytes.dropLast()
      let listeners = try client.call("GetListeners").bytes.dropFirst()
      return Self.print([String(decoding: state, as: UTF8.self) + "," + String(decoding: listeners, as: UTF8.self)])
    case .alive: return try ask(within: Self.patience).alive ? .success : .refused
    case .ready(nil): return try ask(within: Self.patience).ready ? .success : .refused
    case .ready(let wait?): return try waitUntilReady(wait.duration)
    }
  }

  private func ask(within limit: Duration) throws(ControlClient.Failure) -> ControlReplies.State {
    try Self.decode(try ControlClient(path: path, within: limit).call("GetState"))
  }

  /// It may not even run yet.
  private func waitUntilReady(_ limit: Duration?) throws(ControlClient.Failure) -> ExitCode {
    let end = limit.map { MonotonicClock.microseconds(after: $0) } ?? .max
    while true {
      var failure: ControlClient.Failure?
      do throws(ControlClient.Failure) {
        let now = MonotonicClock.microseconds()
        let left = Duration.microseconds(Int64(clamping: end > now ? end - now : 0))
        if try ask(within: max(min(Self.patience, left), Self.shortest)).ready { return .success }
      } catch {
        // What is forbidden stays forbidden.
        if case .refused = error { throw error }
        failure = error
      }
      if MonotonicClock.microseconds() >= end {
        if let failure { throw failure }
        return .refused
      }
      usleep(50_000)
    }
  }

  // MARK: Steering

  private func reload() throws(ControlClient.Failure) -> ExitCode {
    let reply: ControlReplies.Reload = try Self.decode(try ControlClient(path: path).call("Reload"))
    return Self.print(Self.lines(of: reply))
  }

  static func lines(of reply: ControlReplies.Reload) -> [String] {
    let time = TimeSpan.microseconds(
      reply.durationUSec < 1000 ? reply.durationUSec : reply.durationUSec / 1000 * 1000)
    var lines = ["reloaded in \(time): generation \(reply.generation)"]
    guard let changes = reply.changes else { return lines }
    for (title, names) in [
      ("added", changes.added), ("removed", changes.removed), ("changed", changes.changed),
      ("restarted", changes.restarted), ("takes effect at the next start", changes.needRestart),
    ] where !names.isEmpty {
      lines.append("\(title): \(names.map(Escaped.text).joined(separator: ", "))")
    }
    return lines
  }

  private func move(_ method: String, to state: String) throws(ControlClient.Failure) -> ExitCode {
    let reply: ControlReplies.Arrival = try Self.decode(try ControlClient(path: path).call(method))
    if reply.state == state { return .success }
    return Self.complain("it is still in the state \(Escaped.text(reply.state)): somebody else holds it there")
  }

  private func stop() throws(ControlClient.Failure) -> ExitCode {
    let reply: ControlReplies.Stop = try Self.decode(try ControlClient(path: path).call("Stop"))
    if reply.exitStatus == 0 { return .success }
    return Self.complain("it has stopped with exit status \(reply.exitStatus)", advice: "see its log for the reason")
  }

  /// JSON that does the same to whoever reads it, and nothing to a terminal.
  static func harmless(_ json: ArraySlice<UInt8>) -> String {
    var text = ""
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      switch scalar.value {
      case 0x7F...0x9F: text += "\\u00" + String(scalar.value, radix: 16)
      case ..<0x20: text += " "
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private func request(_ parameters: (inout JSONWriter) -> Void) throws(ControlClient.Failure) -> ExitCode {
    let reply = try ControlClient(path: path).call("Request", parameters)
    let members = ((try? JSONScanner.members(of: reply.bytes)) ?? nil) ?? []
    for member in members {
      if member.key == "result", member.value.isObject {
        return Self.print([Self.harmless(member.value.bytes)])
      }
      if member.key == "text", let text = member.value.string {
        return Self.print(
          text.split(separator: "\n", omittingEmptySubsequences: false).map { Escaped.text(String($0)) })
      }
    }
    return .success
  }

  private func logLevel(_ level: LogLevel?) throws(ControlClient.Failure) -> ExitCode {
    guard let level else {
      guard let current = try ask(within: Self.patience).logLevel else {
        return Self.complain("it has no log level")
      }
      return Self.print([Escaped.text(current)])
    }
    let client = try ControlClient(path: path, within: Self.patience)
    _ = try client.call("SetLogLevel") { $0.member("level", level.rawValue) }
    return .success
  }

  // MARK: Following

  private func watch(json: Bool) throws(ControlClient.Failure) -> ExitCode {
    var isRead = true
    var hasFinished = false
    var failure: ControlClient.Failure?
    let hasColour = StandardStream.output.hasColour
    try ControlClient(path: path).follow("Subscribe") { answer in
      do throws(ControlClient.Failure) {
        let happening: ControlReplies.Subscribe = try Self.decode(answer)
        hasFinished = happening.happening.kind == "finished"
        let line =
          json
          ? Self.text(of: answer, member: "happening")
          : WatchLine.text(happening.happening, hasColour: hasColour)
        isRead = StandardStream.output.write([line])
      } catch {
        failure = error
      }
      return isRead && !hasFinished && failure == nil
    }
    if let failure { throw failure }
    return hasFinished || !isRead ? .success : Self.complain("it does not tell any more")
  }

  private static func text(of piece: JSONPiece, member name: String) -> String {
    let members = ((try? JSONScanner.members(of: piece.bytes)) ?? nil) ?? []
    return String(decoding: members.first { $0.key == name }?.value.bytes ?? [], as: UTF8.self)
  }

  private func analyze(_ analysis: ControlRequest.Analysis) throws(ControlClient.Failure) -> ExitCode {
    var parts: [ControlReplies.Trace] = []
    var failure: ControlClient.Failure?
    try ControlClient(path: path, within: Self.patience).follow("GetTrace") { answer in
      do throws(ControlClient.Failure) {
        parts.append(try Self.decode(answer))
      } catch {
        failure = error
      }
      return failure == nil
    }
    if let failure { throw failure }
    guard var trace = parts.first else { throw .gone }
    trace.entries = parts.flatMap(\.entries)
    switch analysis {
    case .blame: return Self.print(TraceBlame.lines(trace, hasColour: StandardStream.output.hasColour))
    case .plot: return Self.print(TracePlot.svg(trace).split(separator: "\n").map(String.init))
    }
  }

  // MARK: Words

  private static func decode<Reply: Decodable>(_ piece: JSONPiece) throws(ControlClient.Failure) -> Reply {
    do {
      return try JSONDecoder().decode(Reply.self, from: Data(piece.bytes))
    } catch {
      throw .refused("its answer cannot be read: it may be of another version")
    }
  }

  private static func print(_ lines: [String]) -> ExitCode {
    StandardStream.output.write(lines) ? .success : .refused
  }

  private static func complain(_ what: String, advice: String? = nil, _ status: ExitCode = .refused) -> ExitCode {
    StandardStream.errors.write(["lifecycled: \(what)" + (advice.map { " (\($0))" } ?? "")])
    return status
  }

  private static func complain(_ failure: ControlClient.Failure) -> ExitCode {
    switch failure {
    case .noDaemon(let what):
      complain(
        Escaped.text(what), advice: "is lifecycled running? --control names another socket",
        .unavailable)
    case .refused(let what): complain(Escaped.text(what))
    case .answered(let error, let parameters): complain(ControlError(error, parameters).text)
    case .gone: complain("it has gone before it answered", .unavailable)
    }
  }
}
