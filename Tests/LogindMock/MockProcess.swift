/// A process that a test starts beside the one under test, and the lines that it has said.
internal import Foundation
internal import Glibc
internal import MediatorLinux

final class MockProcess: Sendable {
  private let loop: EventLoop
  private let child: Child
  private let output = Guarded<[UInt8]>([])
  private let gone = Gate()

  init(_ words: [String], environment: [String: String] = [:]) throws {
    var variables = ProcessInfo.processInfo.environment
    variables.merge(environment) { $1 }
    loop = try EventLoop(name: "mock")
    child = try Child.start(
      SpawnRequest(executable: words[0], arguments: words, environment: variables.map { "\($0.key)=\($0.value)" }),
      on: loop, output: { [output] bytes in output.withLock { $0 += bytes } },
      exited: { [loop, gone] _ in loop.submit { gone.stayOpen() } })
  }

  deinit { end() }

  /// Returns when it has gone.
  func end() {
    try? child.signalGroup(SIGKILL)
    gone.waitOpen()
    loop.shutdown()
  }

  var lines: [String] {
    String(decoding: output.withLock(\.self), as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
