import Foundation
import Glibc
import Mediator
import Testing

@testable import MediatorBridge

/// Signals belong to the whole process, so each of these runs in a process of its own.
@Suite("B06: SIGTERM while a timer is pending", .timeLimit(.minutes(5)))
struct PendingTimerTests {
  @Test("A service that waits for an idle exit far away, paused or not, has ended 100 ms after SIGTERM")
  func idle() async {
    await #expect(processExitsWith: .exitCode(0)) {
      for isPaused in [false, true] {
        try await quickest { bridge in
          bridge.lifecycle.idleExit = .after(.seconds(600))
          if isPaused { try await bridge.lifecycle.pause() }
        }
      }
      exit(0)
    }
  }

  @Test("A stop that waits for its drain delay has ended 100 ms after a second SIGTERM")
  func drain() async {
    await #expect(processExitsWith: .exitCode(0)) {
      try await quickest(timeouts: LifecycleTimeouts(stop: .seconds(60), drainDelay: .seconds(30))) { bridge in
        kill(getpid(), SIGTERM)
        try await bridge.lifecycle.state(.stopping)
      }
      exit(0)
    }
  }
}

/// Ends a bridge with SIGTERM, a few times: others use the cores too, so the quickest counts.
private func quickest(
  timeouts: LifecycleTimeouts = LifecycleTimeouts(), _ prepare: (LifecycleBridge) async throws -> Void
) async throws {
  var times: [Duration] = []
  for _ in 0..<5 {
    let (status, time) = try await stopTime(timeouts, prepare)
    precondition(status == 0)
    times.append(time)
    if time < .milliseconds(100) { return }
  }
  preconditionFailure("\(times)")
}

private func stopTime(
  _ timeouts: LifecycleTimeouts, _ prepare: (LifecycleBridge) async throws -> Void
) async throws -> (Int32, Duration) {
  // The one before may not have gone yet.
  var made: LifecycleBridge?
  await eventually {
    made = try? LifecycleBridge(timeouts: timeouts) { Sayer("a", Lines()) }
    return made != nil
  }
  guard let bridge = made else { preconditionFailure("no bridge") }
  let run = Task { await bridge.run() }
  try await bridge.lifecycle.state(.foreground)
  try await prepare(bridge)
  let began = ContinuousClock.now
  kill(getpid(), SIGTERM)
  return (await run.value, ContinuousClock.now - began)
}
