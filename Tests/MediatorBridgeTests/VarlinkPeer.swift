import Foundation
import MediatorLinux
import Testing

/// A client of a control socket that shares no code with ours but the connection.
final class VarlinkPeer: Sendable {
  private let connection: StreamConnection
  private let received = Guarded<[UInt8]>([])

  init(_ path: String) throws {
    connection = try StreamConnection(to: .unix(path), until: MonotonicClock.microseconds(after: .seconds(20)))
  }

  struct Reply: Sendable {
    var error: String?
    /// As JSON, with sorted keys.
    var parameters: String
    var continues: Bool

    func value(_ key: String) -> Any? {
      (try? JSONSerialization.jsonObject(with: Data(parameters.utf8)) as? [String: Any])?[key]
    }
  }

  func send(raw: [UInt8]) throws {
    try connection.send(raw, until: MonotonicClock.microseconds(after: .seconds(20)))
  }

  func send(_ method: String, _ parameters: String = "{}", more: Bool = false, oneway: Bool = false) throws {
    let method = method.contains(".") ? method : "io.lifecycled.Control.\(method)"
    let flags = (more ? #","more":true"# : "") + (oneway ? #","oneway":true"# : "")
    try send(raw: Array(#"{"method":"\#(method)","parameters":\#(parameters)\#(flags)}"#.utf8) + [0])
  }

  /// The next answer; fails at the end of the connection.
  func answer() async throws -> Reply {
    let message = try await Task.detached { [self] in try wait() }.value
    let object = try #require(try JSONSerialization.jsonObject(with: Data(message)) as? [String: Any])
    let parameters = try JSONSerialization.data(
      withJSONObject: object["parameters"] ?? [:], options: [.sortedKeys, .withoutEscapingSlashes])
    return Reply(
      error: object["error"] as? String, parameters: String(decoding: parameters, as: UTF8.self),
      continues: object["continues"] as? Bool ?? false)
  }

  func call(_ method: String, _ parameters: String = "{}") async throws -> Reply {
    try send(method, parameters)
    return try await answer()
  }

  /// Whether the other side has ended the connection, and says nothing before.
  func isEnded() async -> Bool {
    await Task.detached { [connection] in
      let bytes = try? connection.receive(limit: 1, until: MonotonicClock.microseconds(after: .seconds(20)))
      return bytes == nil || bytes == []
    }.value
  }

  private func wait() throws -> [UInt8] {
    while true {
      let message: [UInt8]? = received.withLock { received in
        guard let zero = received.firstIndex(of: 0) else { return nil }
        defer { received.removeSubrange(...zero) }
        return Array(received[..<zero])
      }
      if let message { return message }
      let end = MonotonicClock.microseconds(after: .seconds(20))
      let bytes = try connection.receive(limit: 64 * 1024, until: end)
      if bytes.isEmpty { throw LinuxError("recv", 0) }
      received.withLock { $0 += bytes }
    }
  }
}
