extension TracePlot {
  /// One stretch: its head, its ticks, the lines of the lifecycle, and the bars of the listeners.
  func panel(_ index: Int) -> [String] {
    let panel = panels[index]
    var out = frame(panel, index) + ticks(panel)
    out += guides(panel)
    for bar in panel.stretch.states { out += self.bar(bar, panel, top: lineTop(0), label: bar.entry.name) }
    for bar in panel.stretch.events { out += self.bar(bar, panel, top: lineTop(1), label: bar.entry.name) }
    out += marks(panel.stretch.signals, panel, line: 2)
    out += marks(panel.stretch.messages, panel, line: 3)
    for (row, bars) in panel.stretch.calls.sorted(by: { $0.key < $1.key }) {
      let top = rowsTop + Double(row) * Self.rowHeight
      for bar in bars { out += self.bar(bar, panel, top: top, label: nil) }
      out += labels(of: bars, panel, top: top)
    }
    return out
  }

  private func frame(_ panel: Panel, _ index: Int) -> [String] {
    let (scale, stretch) = (panel.scale, panel.stretch)
    let room = Int(scale.width / Self.columnWidth / 1.1)
    let head = TerminalText("\(stretch.title)  \(TimeSpan.brief(stretch.length))").cut(to: room)
    var out = [text(scale.left, headTop + 14, head.text, class: "head")]
    if index > 0 {
      let skipped = index == 1 && timeline.leftOut > 0 ? "… " : ""
      let after = "\(skipped)after \(TimeSpan.brief(stretch.began - min(started, stretch.began)))"
      out.append(text(scale.left, headTop + 30, TerminalText(after).cut(to: room).text, class: "dim"))
    }
    out.append(
      "<rect class=\"frame\" x=\"\(SVGText.number(scale.left))\" y=\"\(SVGText.number(lineTop(0) - 4))\" "
        + "width=\"\(SVGText.number(scale.width))\" height=\"\(SVGText.number(bottom - lineTop(0) + 8))\"/>")
    return out
  }

  /// Labels above and, where the picture is long, below.
  private func ticks(_ panel: Panel) -> [String] {
    panel.scale.ticks.flatMap { tick -> [String] in
      let x = panel.scale.position(of: panel.scale.began + tick)
      let label = tick == 0 ? "0" : TimeSpan.brief(tick)
      let middle = min(x, panel.scale.right - Double(label.count) * Self.columnWidth * 0.4)
      var out = [line(x, from: lineTop(0) - 4, to: bottom + 4, class: "grid")]
      out.append(text(middle, lineTop(0) - 9, label, class: "tick"))
      out.append(text(middle, bottom + 18, label, class: "tick"))
      return out
    }
  }

  /// Lines through all rows, for signals and for what the manager takes for a new state.
  private func guides(_ panel: Panel) -> [String] {
    (panel.stretch.signals + panel.stretch.messages).filter { $0.label != nil }.map { mark in
      line(panel.scale.position(of: mark.time), from: lineTop(2), to: bottom + 4, class: "guide")
    }
  }

  private func line(_ x: Double, from top: Double, to bottom: Double, class name: String) -> String {
    "<path class=\"\(name)\" d=\"M\(SVGText.number(x)) \(SVGText.number(top))V\(SVGText.number(bottom))\"/>"
  }

  // MARK: Bars

  private func bar(_ bar: TraceTimeline.Bar, _ panel: Panel, top: Double, label: String?) -> [String] {
    let (x, width) = extent(of: bar, panel)
    let trouble = Self.trouble(of: bar.entry)
    let name = bar.phase.rawValue + (trouble == nil ? "" : bar.entry.result == "open" ? " open" : " bad")
    var out = [
      "<rect class=\"\(name)\" x=\"\(SVGText.number(x))\" y=\"\(SVGText.number(top + 3.5))\" "
        + "width=\"\(SVGText.number(width))\" height=\"\(SVGText.number(Self.barHeight))\" rx=\"2\">"
        + "<title>\(SVGText.escaped(Self.tooltip(of: bar.entry)))</title></rect>"
    ]
    if let label, width >= Double(label.count) * Self.columnWidth + 6 {
      out.append(text(x + 4, top + 14, label, class: "in"))
    }
    return out
  }

  /// Never too thin to be seen.
  private func extent(of bar: TraceTimeline.Bar, _ panel: Panel) -> (x: Double, width: Double) {
    let from = panel.scale.position(of: bar.began)
    return (from, max(2, panel.scale.position(of: bar.ended) - from))
  }

  /// How long each longer call took, in its bar, behind or before it, wherever there is room; with what went wrong.
  ///
  /// - Parameter bars: of one row.
  private func labels(of bars: [TraceTimeline.Bar], _ panel: Panel, top: Double) -> [String] {
    let bars = bars.sorted { ($0.began, $0.ended) < ($1.began, $1.ended) }
    let extents = bars.map { extent(of: $0, panel) }
    var free = panel.scale.left
    return bars.indices.flatMap { index -> [String] in
      let (bar, (x, width)) = (bars[index], extents[index])
      let end = x + width
      let next = index + 1 < bars.count ? extents[index + 1].x : panel.scale.right
      defer { free = max(free, end) }
      let trouble = Self.trouble(of: bar.entry)
      // Of those that hardly took any time, the tooltip says how little.
      guard trouble != nil || bar.ended - bar.began > panel.stretch.length / 100 else { return [] }
      let time = TimeSpan.brief(bar.ended - bar.began)
      let words = TerminalText(trouble.map { "\(time) \($0)" } ?? time)
      let name = trouble == nil ? "sum" : "sum trouble"
      if columns(width - 6) >= words.width { return [text(x + 4, top + 14, words.text, class: "in")] }
      let (before, behind) = (columns(x - 4 - free), columns(next - end - 8))
      if words.width <= behind || trouble != nil && behind >= max(before, 6) {
        let shown = words.cut(to: behind)
        free = end + 4 + Double(shown.width) * Self.columnWidth
        return [text(end + 4, top + 14, shown.text, class: name)]
      }
      guard words.width <= before || trouble != nil && before >= 6 else { return [] }
      return [text(x - 4, top + 14, words.cut(to: before).text, class: name + " end")]
    }
  }

  private func columns(_ width: Double) -> Int { max(0, Int(width / (Self.columnWidth * 0.92))) }

  // MARK: Marks

  private func marks(_ marks: [TraceTimeline.Mark], _ panel: Panel, line: Int) -> [String] {
    var free = panel.scale.left
    let top = lineTop(line)
    return marks.flatMap { mark -> [String] in
      let x = panel.scale.position(of: mark.time)
      let name = mark.entry.result == "failed" ? "mark bad" : mark.label == nil ? "mark faint" : "mark"
      let tooltip = Self.tooltip(of: mark.entry)
      var out = [
        line == 2
          ? triangle(x, top + 5, class: name, tooltip: tooltip) : diamond(x, top + 10, class: name, tooltip: tooltip)
      ]
      guard let label = mark.label.map({ TerminalText($0).cut(to: 16) }) else { return out }
      let width = Double(label.width) * Self.columnWidth
      if x + 8 >= free, x + 8 + width <= panel.scale.right {
        out.append(text(x + 8, top + 14, label.text, class: "label"))
        free = x + 8 + width + 10
      } else if x - 8 - width >= free {
        out.append(text(x - 8, top + 14, label.text, class: "label end"))
        free = x + 8
      }
      return out
    }
  }

  // MARK: Words

  private static func trouble(of entry: ControlReplies.TraceEntry) -> String? {
    switch entry.result {
    case "ok": nil
    case "failed": "failed" + (entry.text.map { ": \($0)" } ?? "")
    case "timedOut": "timed out"
    case "open": entry.kind == "state" ? nil : "still on its way"
    default: entry.result
    }
  }

  private static func tooltip(of entry: ControlReplies.TraceEntry) -> String {
    var words = [entry.kind == "signal" ? entry.origin?.words ?? entry.name : entry.name]
    if let event = entry.event, event != entry.name { words.append(event) }
    if let reason = entry.reason { words.append("(\(reason))") }
    if let origin = entry.origin, entry.kind == "event" { words.append("by \(origin.words)") }
    if entry.count > 1 { words.append("\(entry.count) times") }
    if let duration = entry.durationUSec, entry.kind != "signal", entry.kind != "notify" {
      words.append(TimeSpan.brief(duration))
    }
    if let trouble = trouble(of: entry) { words.append(trouble) }
    // A line feed stays one in the lines of a message.
    return words.joined(separator: " ").split(separator: "\n").joined(separator: ", ")
  }
}
