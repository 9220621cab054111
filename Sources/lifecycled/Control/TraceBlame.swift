/// What `lifecycled analyze blame` prints: which listener took how long in which event, the longest first.
enum TraceBlame {
  private struct Key: Hashable {
    var listener: String
    var event: String
    var reason: String
  }

  private struct Row {
    var first: Int
    var longest: UInt64
    var calls = 0
    /// What came of the newest call, unless all went well.
    var trouble: String?
  }

  /// One line for each listener and event, with the longest of its calls; as `systemd-analyze blame` does, with the
  /// time in front.
  static func lines(_ trace: ControlReplies.Trace, hasColour: Bool = false) -> [String] {
    var rows: [Key: Row] = [:]
    for (index, entry) in trace.entries.enumerated() where entry.kind == "call" {
      let key = Key(listener: entry.name, event: entry.event ?? "", reason: entry.reason ?? "")
      let took = entry.durationUSec ?? trace.nowUSec - min(trace.nowUSec, entry.beginUSec)
      var row = rows[key] ?? Row(first: index, longest: 0)
      row.longest = max(row.longest, took)
      row.calls += 1
      row.trouble = trouble(of: entry)
      rows[key] = row
    }
    let sorted = rows.sorted { ($1.value.longest, $0.value.first) < ($0.value.longest, $1.value.first) }
    // Most calls take no time: they are no answer to the question.
    let shown = sorted.enumerated().filter {
      $0.offset < 10 || $0.element.value.longest >= 1_000 || $0.element.value.trouble != nil
    }
    var lines = shown.map { line($0.element.key, $0.element.value, hasColour) }
    let others = sorted.count - shown.count
    if others > 0 { lines.append("and \(others) more of less than 1ms") }
    if trace.lost > 0 { lines.append("\(trace.lost) older entries of the trace are lost") }
    return lines
  }

  private static func line(_ key: Key, _ row: Row, _ hasColour: Bool) -> String {
    let time = TimeSpan.brief(row.longest)
    let blanks = String(repeating: " ", count: max(0, 12 - time.count))
    var words = [
      "\(blanks)\(time)  \(TerminalText(key.listener).text)", TerminalText("\(key.event) (\(key.reason))").text,
    ]
    if row.calls > 1 { words.append("longest of \(row.calls)") }
    guard let trouble = row.trouble else { return words.joined(separator: "  ") }
    let safe = TerminalText(trouble).text
    words.append(hasColour ? "\u{1B}[31m\(safe)\u{1B}[0m" : safe)
    return words.joined(separator: "  ")
  }

  private static func trouble(of entry: ControlReplies.TraceEntry) -> String? {
    switch entry.result {
    case "ok": nil
    case "failed": "failed: \(entry.text ?? "")"
    case "timedOut": "timed out"
    case "open": "still on its way"
    default: entry.result
    }
  }
}
