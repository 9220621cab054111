import Foundation
import Mediator
import MediatorTestKit
import Testing

/// Nothing in the code refers to these: only files name them.
final class NamedInAFile: ListenerRegistry.Constructible {
  init(context: LifecycleContext) throws { context[registryLog].add("made by name") }
}

final class NotConstructible: LifecycleListener {}

private let registryLog = ContextKey("registry tests' log", default: Log())

@Suite("Listeners that a file names", .timeLimit(.minutes(5)))
struct ListenerRegistryTests {
  let registry: ListenerRegistry

  init() throws {
    var registry = ListenerRegistry()
    for id in ["db", "http", "metrics"] { try registry.register(id) { _ in Named(id) } }
    self.registry = registry
  }

  private func entries(_ text: String) throws(LifecycleError) -> [ListenerEntry] {
    try registry.entries(parsing: Data(text.utf8), named: "l.json")
  }

  private func complaint(_ text: String) -> String {
    do throws(LifecycleError) {
      return "loaded: \(try entries(text).map(\.name))"
    } catch {
      #expect(error.code == .registry)
      return error.description
    }
  }

  // MARK: What is good

  static let good = [
    #"["http", {"id": "db", "required": false, "timeout": 2.5}]"#,
    #"{"listeners": ["http", {"timeout": 2.5, "required": false, "id": "d\u0062"}]}"#,
    "\u{FEFF}\n<plist><array><string>http</string><dict><key>id</key><string>db</string><key>required</key><false/>"
      + "<key>timeout</key><real>2.5</real></dict></array></plist>",
    "<dict><key>listeners</key><array><string>ht<!-- -->tp</string><dict><key>id</key><string><![CDATA[db]]></string>"
      + "<key>required</key><false></false><key>timeout</key><real> 2.5 </real></dict></array></dict>",
  ]

  @Test("JSON and property lists, as an array or under \"listeners\", in the order of the file", arguments: good)
  func order(text: String) throws {
    let entries = try entries(text)
    #expect(entries.map(\.name) == ["http", "db"])
    #expect(entries.map(\.isRequired) == [true, false])
    #expect(entries.map(\.timeout) == [nil, .seconds(2.5)])
  }

  @Test("What Foundation writes as XML and as binary is read")
  func written() throws {
    let list: [Any] = ["http", ["id": "db", "required": false, "timeout": 7]]
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
      let entries = try registry.entries(parsing: data, named: "l.plist")
      #expect(entries.map(\.name) == ["http", "db"])
      #expect(entries.map(\.timeout) == [nil, .seconds(7)])
    }
  }

  @Test("A registered id makes its listener, a class is found by Module.Class though nobody refers to it")
  func made() async throws {
    var registry = registry
    try registry.register("late") { context in
      context[registryLog].add("made by id")
      return Named("late")
    }
    let text = #"["late", "MediatorTests.NamedInAFile"]"#
    let entries = try registry.entries(parsing: Data(text.utf8), named: "l.json")
    let driver = LifecycleDriver { entries }
    try await driver.start()
    #expect(await driver.stop() == 0)
  }

  @Test("An id is registered once, and is not empty")
  func registered() throws {
    var registry = registry
    #expect(throws: LifecycleError.self) { try registry.register("db") { _ in Named("other") } }
    #expect(throws: LifecycleError.self) { try registry.register("") { _ in Named("other") } }
    #expect(registry.ids == ["db", "http", "metrics"])
  }

  // MARK: What is not

  static let bad: [(text: String, complaint: String)] = [
    ("", "l.json: the file is empty (list the ids of the listeners)"),
    (" \n\t ", "l.json: the file is empty (list the ids of the listeners)"),
    ("\n[]", "l.json:2: no listener is listed (list at least one, or take the file away)"),
    ("\n\"db\"", "l.json:2: this is a string, not an array of listeners"),
    ("{\n\"Listeners\": []}", "l.json:2: unknown key \"Listeners\" (did you mean listeners?)"),
    ("{}", "l.json:1: there is no key \"listeners\""),
    ("{\"listeners\":\n\"db\"}", "l.json:2: \"listeners\" is a string (it should be an array)"),
    ("[\"db\",\n7]", "l.json:2: entry 2: a number is no listener"),
    ("[\"db\",\n\"\"]", "l.json:2: entry 2: the id is empty"),
    ("[\n{\"required\": true}]", "l.json:2: entry 1: there is no \"id\""),
    ("[\n\"dbb\"]", "l.json:2: entry 1: unknown id \"dbb\" (did you mean db?)"),
    ("[\n\"queue\"]", "l.json:2: entry 1: unknown id \"queue\" (known are \"db\", \"http\", \"metrics\")"),
    ("[\"a.b\"]", "l.json:1: entry 1: there is no id and no class \"a.b\""),
    ("[\"MediatorTests.Nobody\"]", "entry 1: there is no id and no class \"MediatorTests.Nobody\""),
    (
      "[\"MediatorTests.NotConstructible\"]",
      "entry 1: the class \"MediatorTests.NotConstructible\" is not ListenerRegistry.Constructible (make it conform"
    ),
    ("[\"db\",\n\n\"db\"]", "l.json:3: entry 2: the id \"db\" is listed twice (it stands in line 1 already)"),
    ("[\"db\",\n{\"id\":\n\"db\"}]", "l.json:3: entry 2: the id \"db\" is listed twice (it stands in line 1 already)"),
    ("[{\"id\": \"db\",\n\"timeouts\": 3}]", "l.json:2: entry 1: unknown key \"timeouts\" (did you mean timeout?)"),
    ("[{\"id\": \"db\",\n\"xyz\": 3}]", "l.json:2: entry 1: unknown key \"xyz\" (there is id, required, timeout)"),
    ("[{\"id\": \"db\",\n\"id\": \"http\"}]", "l.json:2: entry 1: the key \"id\" is there twice"),
    ("[{\"id\":\n8}]", "l.json:2: entry 1: \"id\" is a number (it should be a string)"),
    (
      "[{\"id\": \"db\", \"required\":\n1}]", "l.json:2: entry 1: \"required\" is a number (it should be true or false)"
    ),
    ("[{\"id\": \"db\", \"timeout\":\ntrue}]", "l.json:2: entry 1: \"timeout\" is a truth value"),
    ("[{\"id\": \"db\", \"timeout\":\n\"5\"}]", "l.json:2: entry 1: \"timeout\" is a string"),
    ("[{\"id\": \"db\", \"timeout\":\n0}]", "l.json:2: entry 1: the timeout is not more than 0"),
    ("[{\"id\": \"db\", \"timeout\": -1}]", "l.json:1: entry 1: the timeout is not more than 0"),
    ("[{\"id\": \"db\", \"timeout\": 1e300}]", "l.json:1: entry 1: the timeout is longer than a year"),
    ("<array><dict><key>id</key><string>db</string><key>timeout</key><real>nan</real></dict></array>", "more than 0"),
    ("[\"db\",\n]", "l.json:2: syntax: a comma stands before ] (take the comma away)"),
    ("[\"db\"\n\"http\"]", "l.json:2: syntax: there is \"\\\"\" where , or ] should be"),
    ("[\"db\"]\n]", "l.json:2: syntax: there is \"]\" after the end"),
    ("[\n\"db", "l.json:2: syntax: the file ends inside a string"),
    ("[\n\"d\nb\"]", "l.json:2: syntax: a string does not end on its line"),
    ("[\n'db']", "l.json:2: syntax: there is \"\\'\" where a value should be (strings stand in double quotes)"),
    ("[\n01]", "l.json:2: syntax: \"01\" is no number"),
    ("[\n\"\\ud800\"]", "l.json:2: syntax: half of a character"),
    ("<array>\n<string>db</array>", "l.json:2: syntax: there is </array> inside <string>"),
    ("<array>\n<strin>db</strin></array>", "l.json:2: syntax: <strin> is no element of a property list"),
    ("<array>\n<string>a & b</string></array>", "l.json:2: syntax: & stands alone"),
    ("<!DOCTYPE x [\n<!ENTITY a \"b\">]><array/>", "l.json:1: syntax: declarations of one's own"),
    ("<plist>\n", "l.json:2: syntax: there is the end of the file where a value should be"),
    ("<plist><array/></plist>", "l.json:1: no listener is listed"),
    (String(repeating: "[", count: 100_000), "too many arrays or dictionaries inside each other"),
    (String(repeating: "<array>", count: 100_000), "too many arrays or dictionaries inside each other"),
  ]

  @Test("D09: each fault names file, line, entry and reason, with advice; nothing is loaded", arguments: bad)
  func fault(row: (text: String, complaint: String)) {
    #expect(complaint(row.text).contains(row.complaint), "\(row.text.prefix(80))")
  }

  @Test("D09: all faults of a file are told at once, one a line, in the order of the file")
  func allFaults() {
    let text = """
      [
        {"id": "db", "require": "}]{[", "timeout": 0},
        "dbx",
        "http", "http"
      ]
      """
    let expected = """
      l.json: 4 faults
      l.json:2: entry 1: unknown key "require" (did you mean required?)
      l.json:2: entry 1: the timeout is not more than 0 (write the seconds that each call may take, or leave it out)
      l.json:3: entry 2: unknown id "dbx" (did you mean db?)
      l.json:4: entry 4: the id "http" is listed twice (it stands in line 4 already) (nothing was loaded; mend them all)
      """
    #expect(complaint(text) == expected)
  }

  @Test("A file of nothing but faults is told in some lines and a count")
  func manyFaults() {
    let ids = (0..<500).map { "\"unknown\($0)\"" }.joined(separator: ",\n")
    let lines = complaint("[\(ids)]").split(separator: "\n")
    #expect(lines.count == 22)
    #expect(lines.last?.hasPrefix("and 480 more") == true)
  }

  @Test("A word of the file cannot put a line of its own into the message")
  func injected() {
    #expect(complaint(#"["a\nl.json:7: all is well"]"#).split(separator: "\n").count == 1)
    #expect(complaint("[\"\(String(repeating: "x", count: 9999))\"]").utf8.count < 300)
  }

  @Test("Lines are right in a property list, through comments, CDATA and ids that come again")
  func linesOfXML() {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <!-- <string>
      db</string> -->
      <array>
        <string>db</string>
        <string><![CDATA[
      ]]>metrics</string>
        <dict note="a > b">
          <key>id</key>
          <string>db</string>
        </dict>
      </array>
      </plist>
      """
    let expected = """
      l.json: 2 faults
      l.json:8: entry 2: unknown id "\\nmetrics" (did you mean metrics?)
      l.json:12: entry 3: the id "db" is listed twice (it stands in line 7 already) (nothing was loaded; mend them all)
      """
    #expect(complaint(text) == expected)
  }

  @Test("In a binary property list the entry is named")
  func binary() throws {
    let list: [Any] = ["db", ["id": "http", "timeout": -1], "db"]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    let error = #expect(throws: LifecycleError.self) { try registry.entries(parsing: data, named: "l.plist") }
    #expect(error?.message.contains("\nl.plist: entry 2: the timeout is not more than 0") == true)
    #expect(error?.message.contains("\nl.plist: entry 3: the id \"db\" is listed twice (it stands as entry 1") == true)
  }

  @Test("What is not UTF-8, and what is larger than 1 MiB, is refused")
  func bytes() {
    let foreign = #expect(throws: LifecycleError.self) {
      try registry.entries(parsing: Data([0x5B, 0x0A, 0x22, 0xFF, 0x22, 0x5D]), named: "l.json")
    }
    #expect(foreign?.description == "l.json:2: this is not UTF-8 (save the file as UTF-8)")
    let large = #expect(throws: LifecycleError.self) {
      try registry.entries(parsing: Data(repeating: 0x20, count: 1 << 20 + 1), named: "l.json")
    }
    #expect(large?.message == "l.json: larger than 1048576 bytes")
  }
}
