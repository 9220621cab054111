internal import Mediator

/// The wire of Varlink (varlink.org), server's side: each message is one JSON object that a zero byte ends.
///
/// Pure: bytes in, calls out, and bounded whatever comes.
struct VarlinkWire: Sendable {
  enum Fault: Error, Hashable {
    /// More than `mostBytes` without an end.
    case tooLong
    /// No call: not JSON, too deep, or not what a call has.
    case malformed
  }

  /// A message's length, without its end.
  static let mostBytes = 64 * 1024
  /// How much is taken at once, so that one peer's turn is short.
  static let mostAtOnce = 16 * 1024

  private var buffer: [UInt8] = []
  /// Where the first message begins, and how far its end was looked for.
  private var start = 0
  private var looked = 0

  /// How many bytes may be taken now.
  var room: Int { min(Self.mostAtOnce, Self.mostBytes + 1 - (buffer.count - start)) }

  /// Whether a message has begun, but its end has not come.
  var isInsideMessage: Bool { buffer.count > start }

  /// - Parameter bytes: at most `room`.
  mutating func take(_ bytes: [UInt8]) {
    if start > 0 {
      buffer.removeSubrange(..<start)
      (looked, start) = (looked - start, 0)
    }
    buffer += bytes
  }

  /// The next call that has come whole; nil when there is none. After a fault the connection is of no more use.
  mutating func next() throws(Fault) -> VarlinkCall? {
    guard let end = buffer[looked...].firstIndex(of: 0) else {
      looked = buffer.count
      if buffer.count - start > Self.mostBytes { throw .tooLong }
      return nil
    }
    let message = buffer[start..<end]
    (start, looked) = (end + 1, end + 1)
    return try VarlinkCall(message)
  }
}

/// One call of a method.
struct VarlinkCall: Hashable, Sendable {
  /// With its interface: `org.varlink.service.GetInfo`.
  var method: String
  var parameters: [String: JSONPiece] = [:]
  /// Nobody waits for an answer.
  var isOneway = false
  /// Several answers are welcome.
  var wantsMore = false
  /// The connection is to become another protocol's.
  var wantsUpgrade = false
  /// A parameter that was given twice: which of the two is meant?
  var repeated: String?

  /// - Parameter message: without its zero byte.
  init(_ message: ArraySlice<UInt8>) throws(VarlinkWire.Fault) {
    guard String(validating: message, as: UTF8.self) != nil, let members = try Self.members(of: message) else {
      throw .malformed
    }
    var method: String?
    var known: Set<String> = []
    for member in members {
      guard known.insert(member.key).inserted else { throw .malformed }
      switch member.key {
      case "method": method = member.value.string
      case "oneway": isOneway = try Self.flag(member.value)
      case "more": wantsMore = try Self.flag(member.value)
      case "upgrade": wantsUpgrade = try Self.flag(member.value)
      case "parameters":
        if member.value.isNull { break }
        guard let members = try Self.members(of: member.value.bytes) else { throw .malformed }
        for member in members where parameters.updateValue(member.value, forKey: member.key) != nil {
          repeated = member.key
        }
      default: break
      }
    }
    guard let method, !(isOneway && wantsMore) else { throw .malformed }
    self.method = method
  }

  private static func members(of text: ArraySlice<UInt8>) throws(VarlinkWire.Fault) -> [JSONScanner.Member]? {
    do throws(JSONScanner.Fault) {
      return try JSONScanner.members(of: text)
    } catch {
      throw .malformed
    }
  }

  private static func flag(_ piece: JSONPiece) throws(VarlinkWire.Fault) -> Bool {
    if piece.isNull { return false }
    guard let flag = piece.flag else { throw .malformed }
    return flag
  }
}

/// One answer.
struct VarlinkReply: Sendable {
  /// Its bytes, with the zero byte.
  var bytes: [UInt8]

  /// - Parameter continues: another answer to the same call follows.
  init(continues: Bool = false, _ parameters: (inout JSONWriter) -> Void = { _ in }) {
    var json = JSONWriter()
    json.object { json in
      json.member("parameters") { $0.object(parameters) }
      if continues { json.member("continues", true) }
    }
    bytes = json.bytes + [0]
  }

  /// - Parameter error: with its interface.
  init(error: String, _ parameters: (inout JSONWriter) -> Void = { _ in }) {
    var json = JSONWriter()
    json.object { json in
      json.member("error", error)
      json.member("parameters") { $0.object(parameters) }
    }
    bytes = json.bytes + [0]
  }
}
