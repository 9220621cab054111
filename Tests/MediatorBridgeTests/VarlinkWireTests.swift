import Foundation
import Mediator
import MediatorTestKit
import Testing

@testable import MediatorBridge

/// What strangers send: whatever it is, it ends, stays within its bounds and is read as any other reader reads it.
@Suite("The wire of the control socket", .timeLimit(.minutes(5)))
struct VarlinkWireTests {
  private static func members(_ text: String) throws -> [JSONScanner.Member]? {
    try JSONScanner.members(of: Array(text.utf8)[...])
  }

  @Test("The members of an object are cut out as they were written")
  func members() throws {
    let text = #" { "a" : [1, {"b":2}] , "\u0062\n":"x\\\"\ud83d\ude00", "c":-1.50e+3,"a":null} "#
    let members = try #require(try Self.members(text))
    #expect(members.map(\.key) == ["a", "b\n", "c", "a"])
    let values = members.map { String(decoding: $0.value.bytes, as: UTF8.self) }
    #expect(values == [#"[1, {"b":2}]"#, #""x\\\"\ud83d\ude00""#, "-1.50e+3", "null"])
    #expect(members[1].value.string == "x\\\"\u{1F600}")
    #expect(members[3].value.isNull)
    #expect(try Self.members("[1]") == nil)
    #expect(try Self.members("{}") == [])
  }

  @Test(
    "What is no JSON is refused",
    arguments: [
      "", " ", "{", "}", "{}}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "[1,]", "[", "[1 2]",
      "01", "1.", ".5", "+1", "1e", "--1", "nul", "truefalse", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u12", "\"\n\"",
      "{\"a\":1} x", "{\"a\":NaN}", "{\"\\ud800\":1}", "/*x*/{}", "{\"a\":\"\t\"}",
    ])
  func broken(text: String) {
    #expect(throws: JSONScanner.Fault.self) { _ = try Self.members(text) }
  }

  @Test("Half of a surrogate pair is no text", arguments: [#""\ud800""#, #""\udc00""#, #""\ud800\u0041""#])
  func halfPairs(text: String) {
    #expect(JSONPiece(bytes: Array(text.utf8)[...]).string == nil)
  }

  @Test("32 levels are read, more are refused, however many there are", arguments: [31, 32, 60_000])
  func depth(levels: Int) {
    let text = "{\"a\":" + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}"
    if levels < JSONScanner.mostLevels {
      #expect(throws: Never.self) { _ = try Self.members(text) }
    } else {
      #expect(throws: JSONScanner.Fault.tooDeep) { _ = try Self.members(text) }
    }
  }

  @Test("Calls come out whole and in order, however the bytes are cut", arguments: [1, 2, 7, 64, 1000])
  func pieces(size: Int) throws {
    let texts = [
      #"{"method":"a.B","parameters":{"x":"y"},"more":true}"#, #"{"method":"a.C","oneway":true,"parameters":null}"#,
      #"{"method":"a.D","more":false,"oneway":null,"unknown":[]}"#,
    ]
    let bytes: [UInt8] = texts.flatMap { Array($0.utf8) + [0] }
    var wire = VarlinkWire()
    var calls: [VarlinkCall] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      wire.take(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      while let call = try wire.next() { calls.append(call) }
    }
    #expect(calls.map(\.method) == ["a.B", "a.C", "a.D"])
    #expect(calls.map(\.wantsMore) == [true, false, false])
    #expect(calls.map(\.isOneway) == [false, true, false])
    #expect(calls[0].parameters["x"]?.string == "y")
    #expect(!wire.isInsideMessage)
  }

  @Test(
    "What is no call is refused",
    arguments: [
      "", "[]", "1", "{}", #"{"method":1}"#, #"{"method":"a.B","parameters":[]}"#, #"{"method":"a.B","more":1}"#,
      #"{"method":"a.B","method":"a.C"}"#, #"{"method":"a.B","more":true,"oneway":true}"#, "{\"method\":\"\u{FF}",
    ])
  func noCall(text: String) {
    var wire = VarlinkWire()
    wire.take(Array(text.utf8) + [0])
    #expect(throws: VarlinkWire.Fault.malformed) { _ = try wire.next() }
  }

  @Test("Bytes that are not UTF-8 are refused; a parameter that comes twice is named")
  func details() throws {
    var wire = VarlinkWire()
    wire.take(Array("{\"method\":\"".utf8) + [0xFF] + Array("\"}".utf8) + [0])
    #expect(throws: VarlinkWire.Fault.malformed) { _ = try wire.next() }
    wire = VarlinkWire()
    wire.take(Array(#"{"method":"a.B","parameters":{"x":1,"x":2}}"#.utf8) + [0])
    #expect(try wire.next()?.repeated == "x")
  }

  @Test("A message without an end is refused when it is too long, and no more than that is ever kept")
  func tooLong() throws {
    var wire = VarlinkWire()
    var taken = 0
    #expect(throws: VarlinkWire.Fault.tooLong) {
      while true {
        let room = wire.room
        #expect((1...VarlinkWire.mostAtOnce).contains(room))
        wire.take([UInt8](repeating: 0x5B, count: room))
        taken += room
        _ = try wire.next()
      }
    }
    #expect(taken == VarlinkWire.mostBytes + 1)
    wire = VarlinkWire()
    let longest = #"{"method":"a.B"}"#
    let message = longest + String(repeating: " ", count: VarlinkWire.mostBytes - longest.utf8.count)
    var rest = Array(message.utf8)[...]
    while !rest.isEmpty {
      wire.take(Array(rest.prefix(wire.room)))
      rest = rest.dropFirst(VarlinkWire.mostAtOnce)
      if !rest.isEmpty { #expect(try wire.next() == nil) }
    }
    wire.take([0])
    #expect(try wire.next()?.method == "a.B")
  }

  /// Texts that are nearly JSON; without what Foundation decides otherwise: zero bytes, half pairs, large exponents.
  private static func text(_ generator: inout SplitMix64) -> [UInt8] {
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\n\"", "\"\\u00e9\"", "1", "-0", "0.5", "2e1", "true", "false", "null",
      " ", "\n", "{\"a\":1}", "[1,2]", "\"é\"", "\\", "\"", "\"b\":", "{\"c\":[{}]}", "x",
    ]
    var bytes = Array("{".utf8)
    for _ in 0..<Int.random(in: 1...10, using: &generator) {
      bytes += Array(pieces.randomElement(using: &generator)!.utf8)
    }
    return bytes + Array("}".utf8)
  }

  @Test("Foundation's reader agrees on what is JSON", arguments: [1, 2, 3] as [UInt64])
  func agreement(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    var good = 0
    for _ in 0..<5_000 {
      let bytes = Self.text(&generator)
      let ours = try? JSONScanner.members(of: bytes[...])
      let theirs = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
      let text = String(decoding: bytes, as: UTF8.self)
      // Foundation lets a comma stand before the end of an object; RFC 8259 does not.
      let isLax = theirs != nil && text.filter { !$0.isWhitespace }.contains(",}")
      #expect((ours != nil) == (theirs != nil) || isLax, "\(text)")
      if let ours, let theirs {
        #expect(Set(ours.map(\.key)) == Set(theirs.keys))
        good += 1
      }
    }
    #expect(good > 20)
  }

  @Test("Random bytes never trap, and what is kept stays within its bounds", arguments: [4, 5] as [UInt64])
  func random(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    for _ in 0..<300 {
      var wire = VarlinkWire()
      for _ in 0..<20 where wire.room > 0 {
        let count = Int.random(in: 0...min(wire.room, 200), using: &generator)
        wire.take((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) & 0x7F })
        while (try? wire.next()) != nil {}
      }
    }
  }

  @Test("What is written is JSON whatever the text, and holds no control character")
  func writing() throws {
    let text = (0...0x2FF).compactMap { Unicode.Scalar($0) }.map(String.init).joined() + "\u{1F600}\u{2028}"
    let reply = VarlinkReply(continues: true) { json in
      json.member("text", text)
      json.member("texts", [text, ""])
      json.member("number", -5)
      json.member("nothing", String?.none)
      json.member("flag", false)
      json.member("list") { $0.array([1, 2]) { json, number in json.object { $0.member("n", number) } } }
    }
    #expect(reply.bytes.last == 0)
    let bytes = reply.bytes.dropLast()
    let written = String(decoding: bytes, as: UTF8.self)
    #expect(!written.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) })
    let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    let parameters = try #require(object["parameters"] as? [String: Any])
    #expect(object["continues"] as? Bool == true)
    #expect(parameters["text"] as? String == text)
    #expect(parameters["texts"] as? [String] == [text, ""])
    #expect(parameters["number"] as? Int == -5)
    #expect(parameters["flag"] as? Bool == false)
    #expect(parameters["nothing"] == nil)
    #expect((parameters["list"] as? [[String: Int]])?.map(\.["n"]) == [1, 2])
  }
}
