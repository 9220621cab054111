/// What `lifecycled status` prints: where the daemon stands and since when, what went wrong, and a line for each
/// listener and scene.
struct StatusTable: Sendable {
  struct Style: Equatable, Sendable {
    var hasColour = false
    /// What does not fit is cut or broken; nil leaves all as it is, for a pipe.
    var width: Int?
  }

  enum Colour: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case bold = "1"
    case dim = "2"
  }

  private let style: Style

  /// The lines, without their line ends.
  static func lines(
    _ state: ControlReplies.State, _ listeners: ControlReplies.Listeners, style: Style
  ) -> [String] {
    let table = StatusTable(style: style)
    var lines = table.header(state)
    if !listeners.listeners.isEmpty { lines += [""] + table.listeners(listeners.listeners) }
    if !listeners.scenes.isEmpty { lines += [""] + table.scenes(listeners.scenes) }
    return lines
  }

  // MARK: The daemon

  private func header(_ state: ControlReplies.State) -> [String] {
    var first = state.state
    if let reason = state.reason { first += " (\(reason))" }
    if let since = state.sinceUSec { first += " for \(Self.span(since, state.nowUSec))" }
    first += ", generation \(state.generation)"
    let colour = Self.colour(of: state)
    var lines = [paint("●", colour) + " " + paint(cut(first, less: 2), .bold)]
    lines += field("ready", state.ready ? "yes" : "no", state.ready ? nil : .yellow)
    if !state.alive { lines += field("alive", "no", .red) }
    if !state.pauses.isEmpty { lines += field("paused by", state.pauses.joined(separator: ", "), .yellow) }
    if !state.status.isEmpty { lines += field("status", state.status) }
    if let failure = state.reloadFailure { lines += field("reload", "failed: \(failure.words)", .red) }
    for failure in state.failures where failure != state.reloadFailure {
      lines += field("failed", failure.words, failure.required ? .red : .yellow)
    }
    for failure in state.unwell {
      lines += field("unwell", "\(failure.listener): \(failure.message)", failure.required ? .red : .yellow)
    }
    var process = "\(state.product) \(state.version), pid \(state.pid), up \(Self.span(state.startUSec, state.nowUSec))"
    if let level = state.logLevel { process += ", log level \(level)" }
    return lines + field("process", process)
  }

  private static func colour(of state: ControlReplies.State) -> Colour {
    if !state.alive || state.unwell.contains(where: \.required) { return .red }
    let isWell = state.ready && state.failures.isEmpty && state.unwell.isEmpty && state.reloadFailure == nil
    return isWell ? .green : .yellow
  }

  private static func span(_ from: UInt64, _ to: UInt64) -> String {
    let whole = (to - min(from, to)) / 1_000_000
    return whole == 0 ? TimeSpan.brief(to - min(from, to)) : TimeSpan.brief(whole * 1_000_000)
  }

  /// "    status  text", its further lines under the first.
  private func field(_ name: String, _ value: String, _ colour: Colour? = nil) -> [String] {
    let text = TerminalText(value)
    let parts = style.width.map { text.broken(to: max(20, $0 - 13)) } ?? [text.text]
    return parts.enumerated().map { index, part in
      TerminalText("").filled(to: 2) + TerminalText(index == 0 ? name : "").filled(to: 11) + paint(part, colour)
    }
  }

  // MARK: Listeners

  private func listeners(_ listeners: [ControlReplies.Listener]) -> [String] {
    let names = listeners.map { TerminalText(($0.groups + [$0.name]).joined(separator: "/")) }
    let head = ["LISTENER", "STATE", "FAILURE", "LAST TOOK"]
    let states = listeners.map(\.state) + ["foreground"]
    let widths = [nameWidth(names), states.map(\.count).max() ?? 0, 8]
    let last = style.width.map { max(0, $0 - widths.reduce(0) { $0 + $1 + 2 }) }
    var lines = [paint(row(head, widths).joined(separator: "  "), .dim)]
    for (listener, name) in zip(listeners, names) {
      var cells = row([name.text, listener.state, listener.required ? "required" : "optional"], widths)
      cells[1] = paint(cells[1], Self.colour(ofListener: listener.state))
      cells.append(Self.durations(listener.durations, within: last))
      lines.append(Self.trimmed(cells.joined(separator: "  ")))
    }
    return lines
  }

  private static func colour(ofListener state: String) -> Colour? {
    switch state {
    case "failed", "stuck": .red
    case "foreground": .green
    case "background", "disconnecting", "connecting": .yellow
    case "waiting", "ended", "disconnected", "discarded": .dim
    default: nil
    }
  }

  /// The longest ones, in the order of a life, as many as there is room for.
  static func durations(_ durations: [ControlReplies.CallDuration], within room: Int?) -> String {
    let known = durations.map { duration in
      (rank: order.firstIndex { $0.event == duration.event } ?? order.count, duration)
    }
    let longest = known.sorted {
      ($1.1.durationUSec, $0.rank, $0.1.event) < ($0.1.durationUSec, $1.rank, $1.1.event)
    }
    var words: [(rank: Int, text: String)] = []
    for (rank, duration) in longest where words.count < 3 {
      // What took no time is no news.
      if duration.durationUSec < 100, !words.isEmpty { break }
      let name = rank < order.count ? order[rank].word : duration.event
      let text = TerminalText("\(name) \(TimeSpan.brief(duration.durationUSec))").text
      let width = words.reduce(text.count) { $0 + $1.text.count + 2 }
      if let room, width > room { continue }
      words.append((rank, text))
    }
    return words.sorted { ($0.rank, $0.text) < ($1.rank, $1.text) }.map(\.text).joined(separator: ", ")
  }

  private static let order: [(event: String, word: String)] = [
    ("willFinishLaunching", "launch"), ("restoreState", "restore"), ("didFinishLaunching", "start"),
    ("willEnterForeground", "to foreground"), ("didBecomeActive", "foreground"), ("prepareReload", "prepare"),
    ("reload", "reload"), ("revertReload", "revert"), ("willResignActive", "resign"),
    ("didEnterBackground", "background"), ("encodeState", "save"), ("willTerminate", "stop"),
  ]

  // MARK: Scenes

  private func scenes(_ scenes: [ControlReplies.Scene]) -> [String] {
    let names = scenes.map { TerminalText($0.id) }
    let widths = [nameWidth(names), 12]
    var lines = [paint(row(["SCENE", "STATE", "KIND"], widths).joined(separator: "  "), .dim)]
    let room = style.width.map { max(0, $0 - widths.reduce(0) { $0 + $1 + 2 }) }
    for (scene, name) in zip(scenes, names) {
      var cells = row([name.text, scene.state], widths)
      cells[1] = paint(cells[1], Self.colour(ofListener: scene.state))
      let kind = TerminalText(scene.kind)
      cells.append(room.map(kind.cut).map(\.text) ?? kind.text)
      lines.append(Self.trimmed(cells.joined(separator: "  ")))
    }
    return lines
  }

  // MARK: Cells

  /// As wide as the longest name, but no more than leaves room for the rest.
  private func nameWidth(_ names: [TerminalText]) -> Int {
    let longest = max(8, names.map(\.width).max() ?? 0)
    return style.width.map { min(longest, max(16, $0 * 2 / 5)) } ?? longest
  }

  /// Cells that have a width are cut and filled to it; those beyond stay as they are.
  private func row(_ cells: [String], _ widths: [Int]) -> [String] {
    cells.enumerated().map { index, cell in
      guard index < widths.count else { return cell }
      return TerminalText(cell).cut(to: widths[index]).filled(to: widths[index])
    }
  }

  private func cut(_ text: String, less columns: Int) -> String {
    let safe = TerminalText(text)
    return style.width.map { safe.cut(to: $0 - columns) }?.text ?? safe.text
  }

  private func paint(_ text: String, _ colour: Colour?) -> String {
    guard style.hasColour, let colour, !text.isEmpty else { return text }
    return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
  }

  private static func trimmed(_ line: String) -> String {
    String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
  }
}
