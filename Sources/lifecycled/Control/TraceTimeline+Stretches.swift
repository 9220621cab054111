extension TraceTimeline {
  /// So long nothing may happen within a stretch.
  private static let gap: UInt64 = 250_000
  /// So long before a change of state the signal may have come that asked for it.
  private static let lead: UInt64 = 20_000

  /// When it began and ended; what is on its way goes on until now.
  static func span(of entry: ControlReplies.TraceEntry, now: UInt64) -> (UInt64, UInt64) {
    // A message is a moment, however often it was repeated.
    if entry.kind == "notify" || entry.kind == "signal" { return (entry.beginUSec, entry.beginUSec) }
    guard let duration = entry.durationUSec else { return (entry.beginUSec, max(now, entry.beginUSec)) }
    let (end, isTooLong) = entry.beginUSec.addingReportingOverflow(duration)
    return (entry.beginUSec, isTooLong ? .max : end)
  }

  /// Where one ends: after a quarter of a second in which nothing happens, and where a start, reload or stop begins.
  static func stretches(_ trace: ControlReplies.Trace) -> [Stretch] {
    let spans = trace.entries.filter(isActivity).map { span(of: $0, now: trace.nowUSec) }.sorted(by: <)
    var borders = borders(trace)[...]
    var stretches: [Stretch] = []
    for (began, ended) in spans {
      guard var last = stretches.last else {
        stretches.append(Stretch(began: began, ended: ended))
        continue
      }
      while let border = borders.first, border <= last.began { borders.removeFirst() }
      if let border = borders.first, began >= border {
        // What goes on beyond the border is shown on both sides of it.
        stretches[stretches.count - 1].ended = min(last.ended, border)
        stretches.append(Stretch(began: began, ended: max(ended, last.ended)))
        continue
      }
      if began > last.ended, began - last.ended > gap {
        stretches.append(Stretch(began: began, ended: ended))
        continue
      }
      last.ended = max(last.ended, ended)
      stretches[stretches.count - 1] = last
    }
    return stretches
  }

  /// Where starts, reloads and stops begin, each with the signal that asked for it.
  private static func borders(_ trace: ControlReplies.Trace) -> [UInt64] {
    let signals = trace.entries.filter { $0.kind == "signal" }.map(\.beginUSec)
    let states = trace.entries.filter { $0.kind == "state" && isMoving($0.name) }.map(\.beginUSec)
    return states.map { state in
      signals.filter { $0 <= state && state - $0 <= lead }.min() ?? state
    }.sorted()
  }

  private static func isMoving(_ state: String) -> Bool { ["starting", "reloading", "stopping"].contains(state) }

  /// Whether it opens a stretch, or keeps one open: not what goes on for weeks, nor what only says how it goes.
  private static func isActivity(_ entry: ControlReplies.TraceEntry) -> Bool {
    switch entry.kind {
    case "event", "call", "signal": true
    case "state": isMoving(entry.name)
    case "notify": newState(in: entry.name) != nil
    default: false
    }
  }
}
