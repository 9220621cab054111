internal import Foundation
internal import Glibc
internal import Mediator
internal import MediatorBridge
internal import MediatorLinux

/// One connection to the control socket of a running lifecycled; every step waits.
final class ControlClient {
  /// Why a call did not come to its answer.
  enum Failure: Error, Equatable {
    /// Nobody serves the socket.
    case noDaemon(String)
    /// It was refused or has failed; in words.
    case refused(String)
    /// It answered with this error of its interface.
    case answered(error: String, parameters: JSONPiece)
    /// The connection ended before the answer.
    case gone
  }

  private static let interface = "io.lifecycled.Control"
  private let connection: StreamConnection
  private var received: [UInt8] = []
  private let end: UInt64

  /// - Parameter limit: for all that is asked on this connection; nil for as long as it takes.
  init(path: String, within limit: Duration? = nil) throws(Failure) {
    end = limit.map { MonotonicClock.microseconds(after: $0) } ?? .max
    connection = try Self.connect(path, until: min(end, MonotonicClock.microseconds(after: .seconds(10))))
  }

  private static func connect(_ path: String, until end: UInt64) throws(Failure) -> StreamConnection {
    while true {
      do throws(LinuxError) {
        return try StreamConnection(to: .unix(path), until: end)
      } catch {
        switch error.code {
        case EAGAIN where MonotonicClock.microseconds() < end:
          // Its queue is full: poll(2) does not tell when it has room.
          usleep(20_000)
        case ENOENT, ECONNREFUSED, ENOTDIR: throw .noDaemon("nobody serves \(path): \(LinuxError.text(error.code))")
        default: throw .refused("\(path): \(LinuxError.text(error.code))")
        }
      }
    }
  }

  /// Calls a method and returns the parameters of its one answer.
  func call(_ method: String, _ parameters: (inout JSONWriter) -> Void = { _ in }) throws(Failure) -> JSONPiece {
    try send(method, more: false, parameters)
    return try answer().parameters
  }

  /// Calls a method that has several answers; `each` says whether it wants more.
  func follow(_ method: String, _ each: (JSONPiece) -> Bool) throws(Failure) {
    try send(method, more: true) { _ in }
    while true {
      let answer = try answer()
      guard each(answer.parameters), answer.continues else { return }
    }
  }

  private func send(_ method: String, more: Bool, _ parameters: (inout JSONWriter) -> Void) throws(Failure) {
    var json = JSONWriter()
    json.object { json in
      json.member("method", "\(Self.interface).\(method)")
      json.member("parameters") { $0.object(parameters) }
      if more { json.member("more", true) }
    }
    do throws(LinuxError) {
      try connection.send(json.bytes + [0], until: end)
    } catch {
      throw failure(error)
    }
  }

  private struct Answer {
    var parameters: JSONPiece
    var continues: Bool
  }

  private func answer() throws(Failure) -> Answer {
    var looked = 0
    while true {
      if let zero = received[looked...].firstIndex(of: 0) {
        let message = Array(received[..<zero])
        received.removeSubrange(...zero)
        return try Self.read(message)
      }
      looked = received.count
      let bytes: [UInt8]
      do throws(LinuxError) {
        bytes = try connection.receive(limit: 64 * 1024, until: end)
      } catch {
        throw failure(error)
      }
      if bytes.isEmpty { throw .gone }
      received += bytes
    }
  }

  private static func read(_ message: [UInt8]) throws(Failure) -> Answer {
    guard let members = (try? JSONScanner.members(of: message[...])) ?? nil else {
      throw .refused("the answer is not JSON: another program serves this socket")
    }
    let values = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    let parameters = values["parameters"] ?? JSONPiece(bytes: Array("{}".utf8)[...])
    if let error = values["error"]?.string { throw .answered(error: error, parameters: parameters) }
    return Answer(parameters: parameters, continues: values["continues"]?.flag ?? false)
  }

  private func failure(_ error: LinuxError) -> Failure {
    switch error.code {
    case EPIPE, ECONNRESET: .gone
    case ETIMEDOUT: .refused("no answer in time")
    default: .refused(error.description)
    }
  }
}
