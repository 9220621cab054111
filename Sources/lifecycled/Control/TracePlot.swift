/// `lifecycled analyze plot`: a trace as a picture (SVG), as `systemd-analyze plot` draws a boot.
///
/// A row for each listener, a bar for each of its calls in the colour of what it was told; above them the states of the
/// lifecycle, its events, and signals and messages as marks. It needs no script, and follows the reader's choice of
/// light or dark.
struct TracePlot: Sendable {
  /// A stretch with its place on the picture.
  struct Panel: Sendable {
    var stretch: TraceTimeline.Stretch
    var scale: PlotScale
  }

  static let rowHeight = 20.0
  static let barHeight = 13.0
  /// Of one column of text, more than any usual font needs.
  static let columnWidth = 7.2
  /// From the top: title, subtitle, legend, then the heads of the panels.
  private static let headTop = 88.0
  private static let panelGap = 34.0
  private static let leastWidth = 170.0

  let timeline: TraceTimeline
  let panels: [Panel]
  let left: Double
  /// Where the rows begin and end.
  let rowsTop: Double
  let bottom: Double
  let width: Double
  let started: UInt64

  /// - Parameter title: names the daemon; any text.
  static func svg(_ trace: ControlReplies.Trace, title: String = "lifecycled") -> String {
    let plot = TracePlot(trace)
    var out = plot.opening(title)
    out += plot.head(title, lost: trace.lost)
    for row in plot.timeline.listeners.indices { out.append(plot.rowBackground(row)) }
    for index in plot.panels.indices { out += plot.panel(index) }
    for (row, name) in plot.timeline.listeners.enumerated() { out.append(plot.rowName(row, name)) }
    for (line, name) in ["state", "events", "signals", "messages"].enumerated() {
      out.append(plot.text(plot.left - 10, plot.lineTop(line) + 13, name, class: "dim end"))
    }
    out.append("</svg>")
    return out.joined(separator: "\n") + "\n"
  }

  private init(_ trace: ControlReplies.Trace) {
    timeline = TraceTimeline(trace)
    started = trace.startUSec
    let columns = timeline.listeners.map { min(TerminalText($0).width, Self.nameColumns) }.max() ?? 0
    left = Double(max(columns, 9)) * Self.columnWidth + 24
    let lengths = timeline.stretches.map { Double($0.length).squareRoot() }
    let all = max(lengths.reduce(0, +), 1)
    let least = Self.leastWidth * Double(lengths.count)
    let room = max(1000 - least, 400)
    var x = left
    panels = zip(timeline.stretches, lengths).map { stretch, length in
      let width = Self.leastWidth + room * (lengths.count == 1 ? 1 : length / all)
      defer { x += width + Self.panelGap }
      return Panel(
        stretch: stretch, scale: PlotScale(began: stretch.began, length: stretch.length, left: x, width: width))
    }
    width = max(x - Self.panelGap, left + 500) + 20
    rowsTop = Self.headTop + 58 + 4 * Self.rowHeight + 8
    bottom = rowsTop + Double(timeline.listeners.count) * Self.rowHeight
  }

  static let nameColumns = 32

  // MARK: Around the panels

  private func opening(_ title: String) -> [String] {
    let size = (SVGText.number(width), SVGText.number(bottom + 44))
    return [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(size.0)\" height=\"\(size.1)\" "
        + "viewBox=\"0 0 \(size.0) \(size.1)\" role=\"img\">",
      "<title>\(SVGText.escaped(title))</title>", "<style>", Self.stylesheet, "</style>",
      "<rect class=\"page\" width=\"100%\" height=\"100%\"/>",
    ]
  }

  private func head(_ title: String, lost: UInt64) -> [String] {
    let room = Int((width - 32) / (Self.columnWidth * 1.4))
    var out = [text(16, 28, TerminalText(title).cut(to: room).text, class: "title")]
    var facts = [Self.count(timeline.listeners.count, "listener")]
    facts.append(Self.count(timeline.stretches.count + timeline.leftOut, "stretch", "stretches") + " of activity")
    if timeline.leftOut > 0 { facts.append("\(timeline.leftOut) of them after the first not shown") }
    if lost > 0 { facts.append(Self.count(lost, "older entry", "older entries") + " lost") }
    facts.append("each stretch has its own scale")
    out.append(text(16, 47, facts.joined(separator: " · "), class: "dim"))
    var x = 16.0
    for phase in TraceTimeline.Phase.allCases {
      out.append(
        "<rect class=\"\(phase.rawValue)\" x=\"\(SVGText.number(x))\" y=\"58\" width=\"12\" height=\"12\" rx=\"2\"/>")
      out.append(text(x + 17, 68, phase.rawValue))
      x += 17 + Double(phase.rawValue.count) * Self.columnWidth + 16
    }
    out.append("<rect class=\"start bad\" x=\"\(SVGText.number(x))\" y=\"58\" width=\"12\" height=\"12\" rx=\"2\"/>")
    out.append(text(x + 17, 68, "failed"))
    x += 17 + 6 * Self.columnWidth + 16
    out.append(triangle(x + 6, 58, class: "mark"))
    out.append(text(x + 17, 68, "signal"))
    x += 17 + 6 * Self.columnWidth + 16
    out.append(diamond(x + 6, 64, class: "mark"))
    out.append(text(x + 17, 68, "message to the service manager"))
    return out
  }

  private static func count(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  private func rowBackground(_ row: Int) -> String {
    let y = SVGText.number(rowsTop + Double(row) * Self.rowHeight)
    return "<rect class=\"\(row % 2 == 0 ? "even" : "odd")\" x=\"8\" y=\"\(y)\" "
      + "width=\"\(SVGText.number(width - 16))\" height=\"\(SVGText.number(Self.rowHeight))\"/>"
  }

  private func rowName(_ row: Int, _ name: String) -> String {
    let shown = TerminalText(name).cut(to: Self.nameColumns).text
    return text(left - 10, rowsTop + Double(row) * Self.rowHeight + 14, shown, class: "end", tooltip: name)
  }

  /// Of the lines above the rows.
  func lineTop(_ line: Int) -> Double { Self.headTop + 58 + Double(line) * Self.rowHeight }

  var headTop: Double { Self.headTop }

  // MARK: Pieces

  func text(
    _ x: Double, _ y: Double, _ words: String, class name: String? = nil, tooltip: String? = nil
  ) -> String {
    let title = tooltip.map { "<title>\(SVGText.escaped($0))</title>" } ?? ""
    return "<text\(name.map { " class=\"\($0)\"" } ?? "") x=\"\(SVGText.number(x))\" y=\"\(SVGText.number(y))\">"
      + "\(title)\(SVGText.escaped(words))</text>"
  }

  func triangle(_ x: Double, _ y: Double, class name: String, tooltip: String = "") -> String {
    path("M\(SVGText.number(x - 5)) \(SVGText.number(y))h10l-5 10z", name, tooltip)
  }

  func diamond(_ x: Double, _ y: Double, class name: String, tooltip: String = "") -> String {
    path("M\(SVGText.number(x)) \(SVGText.number(y - 6))l5 6l-5 6l-5 -6z", name, tooltip)
  }

  private func path(_ path: String, _ name: String, _ tooltip: String) -> String {
    let title = tooltip.isEmpty ? "/>" : "><title>\(SVGText.escaped(tooltip))</title></path>"
    return "<path class=\"\(name)\" d=\"\(path)\"\(title)"
  }
}
