/// What a trace shows, laid out in time: the stretches in which something happened, and a row for each listener.
///
/// A daemon starts in a second, runs for weeks and reloads in milliseconds: the idle time between is left out, so that
/// each stretch has a scale of its own.
struct TraceTimeline: Equatable, Sendable {
  /// What a bar belongs to; gives it its colour.
  enum Phase: String, CaseIterable, Sendable {
    case start, foreground, reload, background, stop, other

    init(event: String) {
      switch event {
      case "willFinishLaunching", "restoreState", "didFinishLaunching": self = .start
      case "willEnterForeground", "didBecomeActive": self = .foreground
      case "prepareReload", "reload", "revertReload": self = .reload
      case "willResignActive", "didEnterBackground": self = .background
      case "shouldTerminate", "encodeState", "willTerminate": self = .stop
      default: self = .other
      }
    }

    init(state: String) {
      switch state {
      case "starting": self = .start
      case "foreground": self = .foreground
      case "reloading": self = .reload
      case "background": self = .background
      case "stopping": self = .stop
      default: self = .other
      }
    }
  }

  struct Bar: Equatable, Sendable {
    var began: UInt64
    var ended: UInt64
    var phase: Phase
    var entry: ControlReplies.TraceEntry
  }

  /// A signal, or a message to the service manager.
  struct Mark: Equatable, Sendable {
    var time: UInt64
    /// "SIGHUP", "READY"; nil for what is of less weight.
    var label: String?
    var entry: ControlReplies.TraceEntry
  }

  struct Stretch: Equatable, Sendable {
    var began: UInt64
    var ended: UInt64
    var title = ""
    var states: [Bar] = []
    var events: [Bar] = []
    var signals: [Mark] = []
    var messages: [Mark] = []
    /// By row.
    var calls: [Int: [Bar]] = [:]

    var length: UInt64 { ended - began }
  }

  /// More would leave none of them room to be read.
  static let stretchLimit = 8

  /// The listeners, in the order in which they were told first.
  private(set) var listeners: [String] = []
  private(set) var stretches: [Stretch] = []
  /// How many stretches in the middle are not shown.
  private(set) var leftOut = 0

  init(_ trace: ControlReplies.Trace) {
    var all = Self.stretches(trace)
    if all.count > Self.stretchLimit {
      leftOut = all.count - Self.stretchLimit
      all.removeSubrange(1...leftOut)
    }
    var rows: [String: Int] = [:]
    stretches = all
    for entry in trace.entries {
      let (began, ended) = Self.span(of: entry, now: trace.nowUSec)
      for index in stretches.indices where began <= stretches[index].ended && ended >= stretches[index].began {
        let clipped = (max(began, stretches[index].began), min(ended, stretches[index].ended))
        // Of what goes on beyond a border, nothing but the border.
        if clipped.0 == clipped.1, began < ended { continue }
        // A moment on the border is the beginning of the next one.
        if began == ended, index + 1 < stretches.count, stretches[index + 1].began == began { continue }
        add(entry, clipped.0, clipped.1, to: index, &rows)
      }
    }
    for index in stretches.indices { stretches[index].title = Self.title(of: stretches[index]) }
  }

  private mutating func add(
    _ entry: ControlReplies.TraceEntry, _ began: UInt64, _ ended: UInt64, to index: Int, _ rows: inout [String: Int]
  ) {
    switch entry.kind {
    case "state":
      let bar = Bar(began: began, ended: ended, phase: Phase(state: entry.name), entry: entry)
      if entry.name != "stopped" { stretches[index].states.append(bar) }
    case "event":
      stretches[index].events.append(Bar(began: began, ended: ended, phase: Phase(event: entry.name), entry: entry))
    case "call":
      let row = rows[entry.name] ?? listeners.count
      if rows.updateValue(row, forKey: entry.name) == nil { listeners.append(entry.name) }
      let bar = Bar(began: began, ended: ended, phase: Phase(event: entry.event ?? ""), entry: entry)
      stretches[index].calls[row, default: []].append(bar)
    case "signal": stretches[index].signals.append(Mark(time: began, label: Self.name(of: entry), entry: entry))
    case "notify":
      stretches[index].messages.append(Mark(time: began, label: Self.newState(in: entry.name), entry: entry))
    // What a later version traces.
    default: break
    }
  }

  /// The signal's, by its number.
  private static func name(of entry: ControlReplies.TraceEntry) -> String {
    entry.origin?.signal.map { "SIG" + SignalName.name(of: $0) } ?? entry.name
  }

  /// READY, RELOADING or STOPPING; nil for a message that says less.
  static func newState(in message: String) -> String? {
    let lines = message.split(separator: "\n")
    return ["STOPPING", "READY", "RELOADING"].first { lines.contains("\($0)=1") }
  }

  /// "start", "reload, stop": what the stretch is about.
  private static func title(of stretch: Stretch) -> String {
    var titles: [String] = []
    for state in stretch.states {
      switch state.entry.name {
      case "starting": titles.append("start")
      case "reloading": titles.append("reload")
      case "stopping": titles.append("stop")
      default: break
      }
    }
    for event in stretch.events where ["pause", "sleep"].contains(event.entry.reason) {
      if event.entry.name == "didEnterBackground" { titles.append("pause") }
      if event.entry.name == "didBecomeActive" { titles.append("resume") }
    }
    if titles.isEmpty { titles = fallbackTitles(of: stretch) }
    var unique: [String] = []
    for title in titles where !unique.contains(title) { unique.append(title) }
    return unique.joined(separator: ", ")
  }

  /// Of one that begins in the middle of a move, or is none.
  private static func fallbackTitles(of stretch: Stretch) -> [String] {
    let names = stretch.events.map(\.entry.name)
    let moved = stretch.events.compactMap(\.entry.reason).filter { ["start", "reload", "stop"].contains($0) }
    let isMove = names.contains { Phase(event: $0) != .other }
    if isMove, !moved.isEmpty { return moved }
    return [names.first ?? stretch.signals.first?.label ?? "message"]
  }
}
