/// The built `lifecycled` in a process of its own, with a manager, a configuration and its log.
import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

final class DaemonUnderTest: Sendable {
  /// It lies beside the test bundle.
  static let binary: String = {
    let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appendingPathComponent("lifecycled").path
  }()

  let folder: HookFolder
  let manager: FakeServiceManager?
  private let loop: EventLoop
  private let child: Child
  private let output = Shared<[UInt8]>([])
  private let end: Shared<MediatorLinux.ExitStatus?>
  private let reaped = Gate()

  /// Starts `LAUNCHER lifecycled --config FOLDER ARGUMENTS`.
  ///
  /// - Parameters:
  ///   - place: where the manager's socket lies; nil for no manager.
  ///   - command: instead of `--config FOLDER`.
  ///   - given: a manager that is there already.
  ///   - launcher: what to run it with; the first word is a path.
  init(
    _ folder: HookFolder, manager place: FakeServiceManager.Place? = .folder, arguments: [String] = [],
    environment: [String: String] = [:], launcher: [String] = [], command: [String]? = nil,
    toldTo given: FakeServiceManager? = nil
  ) throws {
    self.folder = folder
    manager = try given ?? place.map { try FakeServiceManager(at: $0) }
    var variables = ProcessInfo.processInfo.environment
    for name in ["NOTIFY_SOCKET", "SYSTEMD_EXEC_PID", "NO_COLOR", "RUNTIME_DIRECTORY"] { variables[name] = nil }
    // `run` has no control socket unless it is told to have one.
    variables["LIFECYCLE_CONTROL"] = command == nil ? folder.controlPath : nil
    variables["NOTIFY_SOCKET"] = manager?.address
    variables.merge(environment) { $1 }
    let words = launcher + [Self.binary] + (command ?? ["--config", folder.path]) + arguments
    loop = try EventLoop(name: "daemon-under-test")
    end = Shared(nil)
    child = try Child.start(
      SpawnRequest(executable: words[0], arguments: words, environment: variables.map { "\($0.key)=\($0.value)" }),
      on: loop, output: { [output] bytes in output.withLock { $0 += bytes } },
      exited: { [end, loop, reaped] status in
        end.withLock { $0 = status }
        loop.submit { reaped.stayOpen() }
      })
  }

  deinit {
    try? child.signalGroup(SIGKILL)
    // A zombie would keep the exit tests of this process waiting for ever.
    reaped.waitOpen()
    loop.shutdown()
  }

  var processID: Int32 { child.processID }

  func signal(_ number: Int32) { try? child.signal(number) }

  // MARK: What it says

  var log: [String] {
    // By bytes: a terminal's "\r\n" is one Character.
    rawLog.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  var rawLog: [UInt8] { output.withLock(\.self) }

  func logs(_ text: String) -> Bool { log.contains { $0.contains(text) } }

  /// Waits until a line of the log has this text.
  func untilLogged(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async {
    let found = await eventually { self.logs(text) || self.end.withLock(\.self) != nil }
    #expect(found && logs(text), "\(text) is not in: \(log.joined(separator: "\n"))", sourceLocation: sourceLocation)
  }

  /// Waits until the trace of the hooks has this line.
  func untilRan(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async {
    let found = await eventually { self.folder.ran.contains(line) }
    #expect(found, "\(line) is not in: \(folder.ran); \(log.joined(separator: "\n"))", sourceLocation: sourceLocation)
  }

  /// The next message to the manager with this line.
  @discardableResult
  func told(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async throws
    -> FakeServiceManager.Message
  {
    let message = await manager?.next(saying: line, timeout: .seconds(20))
    return try #require(
      message, "\(line) was not told, but \(messages); \(log.joined(separator: "\n"))", sourceLocation: sourceLocation)
  }

  /// All that the manager was told so far, but for the requests to wait.
  var messages: [String] { allMessages.filter { !$0.contains("EXTEND_TIMEOUT_USEC=") } }

  /// With the requests to wait.
  var allMessages: [String] { manager?.messages.map(\.text) ?? [] }

  // MARK: Its life

  @discardableResult
  func ready(sourceLocation: SourceLocation = #_sourceLocation) async throws -> FakeServiceManager.Message {
    try await told("READY=1", sourceLocation: sourceLocation)
  }

  /// Reloads, and returns the READY that ends it.
  @discardableResult
  func reload(sourceLocation: SourceLocation = #_sourceLocation) async throws -> FakeServiceManager.Message {
    signal(SIGHUP)
    try await told("RELOADING=1", sourceLocation: sourceLocation)
    return try await ready(sourceLocation: sourceLocation)
  }

  /// Waits for the end; `unknown` if it does not come.
  func ended() async -> MediatorLinux.ExitStatus {
    _ = await eventually(within: .seconds(30)) { self.end.withLock(\.self) != nil }
    return end.withLock(\.self) ?? .unknown
  }

  func stop() async -> MediatorLinux.ExitStatus {
    signal(SIGTERM)
    return await ended()
  }
}
