import Foundation
import FoundationXML
import Testing

@testable import lifecycled

@Suite("The picture of a trace", .timeLimit(.minutes(5)))
struct TracePlotTests {
  /// The elements of a picture that is well-formed XML.
  private final class Reader: NSObject, XMLParserDelegate {
    var elements: [(name: String, attributes: [String: String])] = []
    var texts: [String] = []

    static func read(_ svg: String) throws -> Reader {
      let reader = Reader()
      let parser = XMLParser(data: Data(svg.utf8))
      parser.delegate = reader
      if !parser.parse() { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
      return reader
    }

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      elements.append((name, attributes))
      texts.append("")
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { texts[texts.count - 1] += text }

    func bars(_ phase: String) -> Int {
      elements.count {
        $0.name == "rect" && $0.attributes["class"]?.split(separator: " ").first.map(String.init) == phase
      }
    }
  }

  @Test("The picture of a small trace, as it is")
  func snapshot() {
    let trace = ControlReplies.Trace(
      [
        .at(0, "state", "starting", took: 100_000),
        .at(0, "event", "didFinishLaunching", reason: "start", took: 100_000),
        .call(0, "db", "didFinishLaunching", took: 80_000),
        .call(80_000, "web", "didFinishLaunching", took: 20_000, result: "failed", text: "<refused>"),
        .at(100_000, "notify", "READY=1"),
      ], now: 100_000)
    let svg = TracePlot.svg(trace, title: "a & b")
    let body = svg.split(separator: "\n").drop { $0 != "</style>" }
    let bars = body.filter { $0.contains("<title>") || $0.contains("class=\"in\"") }
    #expect(bars.joined(separator: "\n") == Self.expected)
  }

  private static let expected = """
    <rect class="start" x="94.8" y="149.5" width="988" height="13" rx="2"><title>starting 100ms</title></rect>
    <text class="in" x="98.8" y="160">starting</text>
    <rect class="start" x="94.8" y="169.5" width="988" height="13" rx="2">\
    <title>didFinishLaunching (start) 100ms</title></rect>
    <text class="in" x="98.8" y="180">didFinishLaunching</text>
    <path class="mark" d="M1082.8 210l5 6l-5 6l-5 -6z"><title>READY=1</title></path>
    <rect class="start" x="94.8" y="237.5" width="790.4" height="13" rx="2">\
    <title>db didFinishLaunching (start) 80ms</title></rect>
    <text class="in" x="98.8" y="248">80ms</text>
    <rect class="start bad" x="885.2" y="257.5" width="197.6" height="13" rx="2">\
    <title>web didFinishLaunching (start) 20ms failed: &lt;refused&gt;</title></rect>
    <text class="in" x="889.2" y="268">20ms failed: &lt;refused&gt;</text>
    <text class="end" x="78.8" y="248"><title>db</title>db</text>
    <text class="end" x="78.8" y="268"><title>web</title>web</text>
    """

  @Test("F18: whatever the names and reasons, it is well-formed, and the words are where they belong")
  func hostile() throws {
    let names = HostileText.all
    for text in names {
      let trace = ControlReplies.Trace(
        [
          .at(0, "state", text, took: nil, result: "open"), .at(0, "event", text, reason: text, took: 9),
          .at(0, "signal", text), .at(1, "notify", text + "\nREADY=1", result: "failed", text: text),
          .call(.max / 2, text, text, text, took: .max, result: "failed", text: text),
          .call(0, text, "reload", text, took: 10, result: text),
        ], now: 50)
      let reader = try Reader.read(TracePlot.svg(trace, title: text))
      #expect(!reader.elements.contains { $0.name == "script" || $0.name == "b" })
      #expect(reader.texts.allSatisfy { HostileText.isSafe($0.filter { $0 != "\n" }) })
    }
    let many = try Reader.read(TracePlot.svg(.life(listeners: names, reloads: 1)))
    #expect(many.bars("start") >= 2 * Set(names).count)
  }

  @Test(
    "Each call is a bar within its panel, for five listeners and for two hundred, and twice the same picture",
    arguments: [0, 1, 5, 200])
  func sizes(count: Int) throws {
    let trace = ControlReplies.Trace.life(listeners: (0..<count).map { "listener \($0)" }, reloads: 3)
    let svg = TracePlot.svg(trace)
    #expect(svg == TracePlot.svg(trace))
    let reader = try Reader.read(svg)
    // Two in the start, its event bars, its state, and the two chips of the legend.
    #expect(reader.bars("start") == 2 * count + 2 + 1 + 2)
    #expect(reader.bars("reload") == (2 * count + 2 + 1) * 3 + 1)
    let width = try #require(reader.elements.first?.attributes["width"].flatMap { Double($0) })
    for case ("rect", let attributes) in reader.elements {
      guard let x = attributes["x"].flatMap({ Double($0) }), let w = attributes["width"].flatMap({ Double($0) }) else {
        continue
      }
      #expect(x >= 0 && w >= 2 && x + w <= width)
    }
    #expect(svg.utf8.count < 3_000 + 20_000 + count * 6_000)
  }

  @Test("Light and dark have a colour for the same things")
  func colours() throws {
    let parts = TracePlot.stylesheet.components(separatedBy: "@media (prefers-color-scheme: dark) {")
    try #require(parts.count == 2)
    for phase in TraceTimeline.Phase.allCases {
      for part in parts { #expect(part.contains(".\(phase.rawValue) { fill: #"), "\(phase)") }
    }
    for name in [".page", ".even", ".odd", ".frame", ".grid", ".guide", ".mark", ".trouble", ".in"] {
      for part in parts { #expect(part.contains("\(name) { "), "\(name)") }
    }
  }
}
