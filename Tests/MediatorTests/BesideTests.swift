import Dispatch
import Foundation
import Mediator
import MediatorTestKit
import Testing

/// Holds the thread that it is on, once, in one of the things that it does beside the callbacks.
private final class Blocking: RunningListener, HealthChecking, StatusReporting {
  private let place: String
  private let log: Log
  private let gate = DispatchSemaphore(value: 0)

  init(in place: String, _ log: Log) { (self.place, self.log) = (place, log) }

  func letGo() { gate.signal() }

  private func block(_ place: String) {
    // Swift's pool may have no more than two threads.
    guard place == self.place, !log.lines.contains(place) else { return }
    log.add(place)
    gate.wait()
  }

  func run() async throws {
    block("run")
    try await Task.sleep(for: .seconds(600))
  }

  func checkHealth() async throws { block("health") }

  var status: String {
    get async {
      block("status")
      return ""
    }
  }
}

/// A process of its own: who blocks one of the few threads of Swift's pool holds up all other tests.
@Suite("What listeners do beside the callbacks", .timeLimit(.minutes(5)))
struct BesideTests {
  @Test("Whoever blocks a thread there keeps nobody from being told")
  func blocks() async {
    await #expect(processExitsWith: .exitCode(0)) {
      for place in ["run", "health", "status"] { try await Self.live(place) }
      exit(0)
    }
  }

  private static func live(_ place: String) async throws {
    let log = Log()
    let blocking = Blocking(in: place, log)
    let driver = LifecycleDriver {
      blocking
      Named("other", log: log)
    }
    try await driver.start()
    await eventually { log.lines.contains(place) }
    let pause = Task { try await driver.pause() }
    await eventually { log.lines.contains("other.didEnterBackground") }
    precondition(log.lines.contains("other.didEnterBackground"), "\(place): \(log.lines)")
    blocking.letGo()
    try await pause.value
    let status = await driver.stop()
    precondition(status == 0)
  }
}
