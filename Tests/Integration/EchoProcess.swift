/// A running EchoServer, which listens on a port that the system chose.
import Foundation
import MediatorLinux
import Testing

final class EchoProcess: Sendable {
  let port: UInt16
  let greetingFile: String
  private let process: ExampleProcess

  /// Returns when the service is in the foreground.
  init(greeting: String) throws {
    process = try ExampleProcess(
      "EchoServer", ["--port", "0", "--greeting", "greeting"], files: ["greeting": greeting])
    greetingFile = process.folder + "/greeting"
    try process.waitFor("state: foreground")
    let line = process.output.split(separator: "\n").first { $0.hasPrefix("listening on 127.0.0.1:") }
    port = try #require(line?.split(separator: ":").last.flatMap { UInt16($0) }, "\(process.output)")
  }

  var output: String { process.output }
  var descriptorCount: Int { process.descriptorCount }
  func count(of line: String) -> Int { process.count(of: line) }
  func waitFor(_ line: String) throws { try process.waitFor(line) }
  func signal(_ number: Int32) throws { try process.signal(number) }
  func exitStatus() -> MediatorLinux.ExitStatus? { process.exitStatus() }

  /// Sends the signal, and waits for one more line that begins with `line`.
  func signal(_ number: Int32, expecting line: String) throws {
    let before = process.count(of: line)
    try process.signal(number)
    try process.waitFor(line, moreThan: before)
  }

  /// Replaces the greeting in one step, as an editor does.
  func write(_ greeting: String) throws {
    try greeting.write(toFile: greetingFile, atomically: true, encoding: .utf8)
  }
}
