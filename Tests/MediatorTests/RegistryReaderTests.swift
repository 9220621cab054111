import Foundation
import Testing

@testable import Mediator

@Suite("Reading files of listeners, whatever is in them", .timeLimit(.minutes(5)))
struct RegistryReaderTests {
  /// As text, without lines, so that it can be compared; keys in order.
  private static func plain(_ value: LocatedValue) -> String {
    switch value.content {
    case .text(let text): return text.debugDescription
    case .number(let number): return "\(number)"
    case .flag(let flag): return "\(flag)"
    case .list(let list): return "[\(list.map(plain).joined(separator: ","))]"
    case .table(let members):
      let texts = members.sorted { $0.key < $1.key }.map { "\($0.key.debugDescription):\(plain($0.value))" }
      return "{\(texts.joined(separator: ","))}"
    case .other(let kind): return kind
    }
  }

  static let document: [String: any Sendable] = [
    "text": "ä \u{1F600} \"\\/\n\t<&>'", "ascii": "plain", "empty": "", "yes": true, "no": false, "whole": 300,
    "negative": -7, "large": 5_000_000_000, "part": 0.125,
    "list": ["a", ["b": [1, 2, 3]], [String]()] as [any Sendable],
    "long": (0..<20).map { "entry \($0)" },
  ]

  @Test("What Foundation writes is read with the same meaning in all three formats")
  func differential() throws {
    let json = try JSONSerialization.data(withJSONObject: Self.document, options: [.prettyPrinted])
    let expected = Self.plain(try LocatedValue.read(Array(json)))
    #expect(expected.contains("\"whole\":300.0"))
    #expect(expected.contains("\"text\":\"ä \u{1F600} \\\"\\\\/\\n\\t<&>\\'\""))
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let data = try PropertyListSerialization.data(fromPropertyList: Self.document, format: format, options: 0)
      #expect(Self.plain(try LocatedValue.read(Array(data))) == expected)
    }
  }

  private static var list: [Any] {
    ["http", ["id": "db", "required": false, "timeout": 2.5] as [String: Any], "ä"]
  }

  private static func files() throws -> [Data] {
    [
      try JSONSerialization.data(withJSONObject: list, options: .prettyPrinted),
      try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0),
      try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0),
    ]
  }

  private static func registry() throws -> ListenerRegistry {
    var registry = ListenerRegistry()
    for id in ["http", "db", "ä"] { try registry.register(id) { _ in Named(id) } }
    return registry
  }

  @Test("D09: a file that was cut anywhere is an error, never half of it")
  func truncated() throws {
    let registry = try Self.registry()
    for file in try Self.files() {
      let end = file.lastIndex { $0 != 0x0A } ?? 0
      #expect(try registry.entries(parsing: file, named: "f").count == 3)
      for length in 0..<end {
        #expect(throws: LifecycleError.self) { try registry.entries(parsing: file.prefix(length), named: "f") }
      }
    }
  }

  @Test("Any bytes are read or refused: changed files, and noise with each beginning")
  func noise() throws {
    let registry = try Self.registry()
    var random = SystemRandomNumberGenerator()
    var refused = 0
    for file in try Self.files() {
      for _ in 0..<4000 {
        var bytes = Array(file)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        do { _ = try registry.entries(parsing: Data(bytes), named: "f") } catch { refused += 1 }
      }
    }
    for start in ["bplist00", "<plist>", "<", "[", "{\"", "[\"\\u"] {
      for _ in 0..<500 {
        let noise = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        do { _ = try registry.entries(parsing: Data(start.utf8) + noise, named: "f") } catch { refused += 1 }
      }
    }
    #expect(refused > 3000)
  }

  @Test("A small binary file that stands for a huge one, or for itself, is refused")
  func bombs() {
    // Sixteen arrays, each with fifteen references to the next one; then one that contains itself.
    let levels = (0..<16).map { level in [0xAF, 0x10, 0x0F] + [UInt8](repeating: UInt8(level + 1), count: 15) }
    for objects in [levels + [[0xA0]], [[0xA1, 0x00]]] {
      #expect(throws: RegistryFault(what: "too many values, or too many inside each other")) {
        try LocatedValue.read(Self.binary(objects))
      }
    }
  }

  /// A binary property list of these objects, the first at the top.
  private static func binary(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [objects.count, 0, table] { bytes += [0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xFF)] }
    return bytes
  }
}
