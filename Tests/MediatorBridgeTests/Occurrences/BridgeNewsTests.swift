import Foundation
import Glibc
import Mediator
import MediatorBridge
import Testing

/// Hears all that the machine has to say.
private struct Ear: MemoryPressureListener, SecretsListener, SignalListener {
  let log: Lines
  var name: String { "ear" }
  var signals: Set<SignalNumber> { [.realtime(5)] }

  func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws {
    log.add("memory \(pressure.level)")
  }

  func secretsDidBecomeAvailable(_ transition: LifecycleTransition) async throws {
    log.add("secret \(try transition.context.read(.text("key")))")
  }

  func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) async throws {}

  func didReceiveSignal(_ transition: LifecycleTransition) async throws {
    guard case .signal(let number, let pid, _, let value) = transition.origin else { return }
    log.add("signal \(number == .realtime(5)) \(pid == getpid()) \(value.map(String.init) ?? "none")")
  }
}

/// Holds forty thousand kilobytes in small pieces, all of which but the last it can do without.
private final class Hoard: MemoryPressureListener, @unchecked Sendable {
  static let count = 100_000
  private var pieces: [UnsafeMutableRawPointer]
  var name: String { "hoard" }

  init() {
    pieces = (0...Self.count).map { _ in
      let piece = UnsafeMutableRawPointer.allocate(byteCount: 400, alignment: 16)
      piece.initializeMemory(as: UInt8.self, repeating: 1, count: 400)
      return piece
    }
  }

  func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) async throws {
    for piece in pieces.dropLast() { piece.deallocate() }
    pieces.removeFirst(Self.count)
  }

  /// What this process has in memory, in pages (proc_pid_statm(5)).
  static var residentPages: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }
}

/// Signals and the environment belong to the whole process, so this runs in a process of its own.
@Suite("News of the machine, through the bridge", .timeLimit(.minutes(5)))
struct BridgeNewsTests {
  @Test("memory pressure, credentials and a queued value reach a listener of a process that embeds the bridge")
  func all() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let folder = "/tmp/mediator-\(getpid())"
      precondition(mkdir(folder, 0o700) == 0 && mkdir("\(folder)/secrets", 0o700) == 0)
      precondition(mkfifo("\(folder)/pressure", 0o600) == 0)
      try "bread\n".write(toFile: "\(folder)/secrets/key", atomically: true, encoding: .utf8)
      setenv("MEMORY_PRESSURE_WATCH", "\(folder)/pressure", 1)
      setenv("CREDENTIALS_DIRECTORY", "\(folder)/secrets", 1)
      let log = Lines()
      let bridge = try LifecycleBridge { Ear(log: log) }
      let run = Task { await bridge.run() }
      await eventually { log.all == ["secret bread"] }
      let writer = open("\(folder)/pressure", O_WRONLY | O_CLOEXEC)
      precondition(write(writer, "x", 1) == 1)
      await eventually { log.all.count == 2 }
      var value = sigval()
      value.sival_int = -7
      precondition(sigqueue(getpid(), SignalNumber.realtime(5).rawValue, value) == 0)
      await eventually { log.all.count == 3 }
      precondition(log.all == ["secret bread", "memory some", "signal true true -7"], "\(log.all)")
      kill(getpid(), SIGTERM)
      let status = await run.value
      try FileManager.default.removeItem(atPath: folder)
      precondition(status == 0)
      exit(0)
    }
  }
  @Test("what listeners free on memory pressure goes back to the system")
  func released() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let path = "/tmp/mediator-pressure-\(getpid())"
      precondition(mkfifo(path, 0o600) == 0)
      setenv("MEMORY_PRESSURE_WATCH", path, 1)
      let bridge = try LifecycleBridge { Hoard() }
      let run = Task { await bridge.run() }
      try await bridge.lifecycle.state(.foreground)
      let before = Hoard.residentPages
      let writer = open(path, O_WRONLY | O_CLOEXEC)
      precondition(write(writer, "x", 1) == 1)
      // Nearly all of the 10,000 pages.
      await eventually { before - Hoard.residentPages > 9_000 }
      kill(getpid(), SIGTERM)
      let status = await run.value
      precondition(unlink(path) == 0 && status == 0)
      exit(0)
    }
  }
}
