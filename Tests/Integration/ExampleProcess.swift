/// A running example: its output, the signals that go to it, and its end.
import Foundation
import Glibc
import MediatorLinux
import Synchronization
import Testing

final class ExampleProcess: Sendable {
  /// What the loop's thread writes down and the test reads.
  private final class Seen: Sendable {
    struct State: Sendable {
      var output = ""
      var status: MediatorLinux.ExitStatus?
    }
    let state = Mutex(State())
  }

  /// Its working directory, which is deleted in the end.
  let folder: String
  private let child: Child
  private let loop: EventLoop
  private let seen = Seen()

  /// - Parameters:
  ///   - name: the binary beside the test bundle, where the same build put it.
  ///   - variables: all of its environment.
  ///   - files: what lies in its working directory at the start.
  ///   - sockets: passed as a service manager does, with their names.
  init(
    _ name: String, _ arguments: [String] = [], variables: [String] = [], files: [String: String] = [:],
    sockets: KeyValuePairs<String, Int32> = [:]
  ) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (file, text) in files {
      try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
    }
    let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    loop = try EventLoop(name: "example")
    let binary = bundle.deletingLastPathComponent().appending(path: name).path
    var request = SpawnRequest(
      executable: binary, arguments: [name] + arguments, environment: variables, workingDirectory: folder)
    if !sockets.isEmpty {
      // Only the process itself knows its number.
      request.executable = "/bin/sh"
      request.arguments = ["sh", "-c", "LISTEN_PID=$$ exec \"$0\" \"$@\"", binary] + arguments
      let names = sockets.map(\.key).joined(separator: ":")
      request.environment += ["LISTEN_FDS=\(sockets.count)", "LISTEN_FDNAMES=\(names)"]
      for (index, socket) in sockets.enumerated() { request.descriptors[Int32(3 + index)] = socket.value }
    }
    child = try Child.start(request, on: loop) { [seen] bytes in
      seen.state.withLock { $0.output += String(decoding: bytes, as: UTF8.self) }
    } exited: { [seen] status in
      seen.state.withLock { $0.status = status }
    }
  }

  /// A test that gave up leaves no process behind.
  deinit {
    try? child.signal(SIGKILL)
    _ = exitStatus()
    loop.shutdown()
    try? FileManager.default.removeItem(atPath: folder)
  }

  var output: String { seen.state.withLock(\.output) }

  var hasEnded: Bool { seen.state.withLock { $0.status != nil } }

  /// How many lines of the output begin with this.
  func count(of line: String) -> Int {
    output.split(separator: "\n").count { $0.hasPrefix(line) }
  }

  func signal(_ number: Int32) throws { try child.signal(number) }

  /// Waits until more lines than `before` begin with `line`.
  func waitFor(_ line: String, moreThan before: Int = 0) throws {
    let came = Self.eventually { self.count(of: line) > before || self.seen.state.withLock { $0.status != nil } }
    try #require(came && count(of: line) > before, "no '\(line)' in: \(output)")
  }

  /// nil when it still runs after ten seconds.
  func exitStatus() -> MediatorLinux.ExitStatus? {
    _ = Self.eventually { self.seen.state.withLock { $0.status != nil } }
    return seen.state.withLock(\.status)
  }

  /// The descriptors that it holds open now.
  var descriptorCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.processID)/fd").count) ?? -1
  }

  /// Looks again every millisecond until the condition holds; false after ten seconds.
  static func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while try !condition() {
      if ContinuousClock.now > end { return false }
      usleep(1000)
    }
    return true
  }
}
