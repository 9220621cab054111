import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("A scripted listener", .timeLimit(.minutes(5)))
struct ScriptedListenerTests {
  typealias Gate = ScriptedListener.Gate

  private struct Trouble: Error, LocalizedError {
    let errorDescription: String? = "on purpose"
  }

  /// Answers by its script.
  private struct Answering: RequestListener {
    let script = ScriptedListener("answering")
    var name: String { script.name }
    func answer(_ request: LifecycleRequest) async throws -> RequestAnswer {
      try await script.play(.didReceiveRequest)
      return .taken(Data())
    }
  }

  @Test("Without a script it succeeds in all")
  func silent() async throws {
    let driver = LifecycleDriver {
      ScriptedListener("a")
      ScriptedReloadListener("b")
    }
    try await driver.start()
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    try await driver.pause()
    try await driver.resume()
    #expect(await driver.stop() == 0)
    #expect(driver.events.names(of: .prepareReload) == ["b"])
  }

  @Test("A failure in the start fails the start, and the others are stopped")
  func failure() async {
    let driver = LifecycleDriver {
      ScriptedListener("a")
      ScriptedListener("b", [.didFinishLaunching: .fail(Trouble())])
      ScriptedListener("c")
    }
    driver.run()
    #expect(await driver.exitStatus() == 69)
    #expect(driver.events.names(of: .didFinishLaunching) == ["a", "b"])
    #expect(driver.events.names(of: .willTerminate) == ["b", "a"])
    #expect(driver.notifyMessages.contains { $0.contains("start failed: b: on purpose") })
  }

  @Test("Each time takes the next step, and the last one stays")
  func steps() async throws {
    let neighbour = ScriptedReloadListener("neighbour")
    neighbour.script.on(.prepareReload, .fail(Trouble()), .succeed)
    neighbour.script.on(.reload, .succeed, .fail(Trouble()))
    let driver = LifecycleDriver {
      ScriptedReloadListener("first")
      neighbour
    }
    try await driver.start()
    guard case .failed(let refusal) = await driver.reload() else {
      Issue.record("not refused")
      return
    }
    #expect(refusal.listener == "neighbour")
    #expect(driver.events.names(of: .reload) == [])
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    for _ in 0..<2 {
      guard case .failed = await driver.reload() else {
        Issue.record("not refused")
        return
      }
    }
    #expect(driver.events.names(of: .revertReload) == ["first", "first"])
    neighbour.script.on(.reload)
    #expect(await driver.reload() == .reloaded(generation: 3, .zero))
    #expect(await driver.stop() == 0)
  }

  @Test("It waits until the gate is open, and an open gate holds up nobody")
  func gate() async throws {
    let gate = Gate()
    #expect(!gate.isOpen)
    let driver = LifecycleDriver {
      ScriptedListener("a", [.didFinishLaunching: .wait(for: gate), .didBecomeActive: .wait(for: gate)])
      ScriptedListener("b")
    }
    driver.run()
    try await driver.event("a", .didFinishLaunching)
    #expect(driver.events.names(of: .didFinishLaunching) == ["a"])
    gate.open()
    gate.open()
    #expect(gate.isOpen)
    try await driver.lifecycle.state(.foreground)
    #expect(gate.waiterCount == 0)
    #expect(await driver.stop() == 0)
  }

  @Test("A gate that is never opened: the wait ends with the listener's own time, and the others go on")
  func neverOpened() async throws {
    let gate = Gate()
    let driver = LifecycleDriver {
      ScriptedListener("slow", [.didFinishLaunching: .wait(for: gate)]).optional(timeout: .seconds(5))
      ScriptedListener("b")
    }
    driver.run()
    try await driver.event("slow", .didFinishLaunching)
    driver.clock.advance(by: .seconds(5))
    try await driver.lifecycle.state(.foreground)
    #expect(driver.notifyMessages.last?.contains("degraded: slow: timed out in didFinishLaunching") == true)
    #expect(gate.waiterCount == 0)
    #expect(await driver.stop() == 0)
    #expect(driver.events.events(of: "slow") == [.willFinishLaunching, .didFinishLaunching, .willTerminate])
  }

  @Test("Without a time limit a stop ends the wait at a gate that is never opened")
  func neverOpenedAndStopped() async throws {
    let gate = Gate()
    let driver = LifecycleDriver { ScriptedListener("slow", [.didFinishLaunching: .wait(for: gate)]) }
    driver.run()
    try await driver.event("slow", .didFinishLaunching)
    #expect(await driver.stop() == 0)
    #expect(gate.waiterCount == 0)
  }

  @Test("One that ignores its cancellation is left behind, and is called no more", arguments: [false, true])
  func stubborn(blocksThread: Bool) async throws {
    let gate = Gate()
    defer { gate.open() }
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(9))) {
      ScriptedListener("first")
      ScriptedListener(
        "stuck", [.willResignActive: blocksThread ? .blockThread(until: gate) : .ignoreCancellation(until: gate)])
      ScriptedListener("last")
    }
    try await driver.start()
    driver.lifecycle.requestStop()
    try await driver.event("stuck", .willResignActive)
    #expect(
      await driver.clock.advance(by: .seconds(9), step: .milliseconds(500)) { driver.lifecycle.state == .stopped })
    #expect(await driver.exitStatus() == 75)
    #expect(driver.events.names(of: .willTerminate) == ["last", "first"])
    #expect(gate.waiterCount == 1)
    #expect(driver.forcedExitStatus == nil)
  }

  @Test("Too many threads that are blocked for ever end the process, as with the bridge")
  func manyBlocked() async throws {
    let gate = Gate()
    defer { gate.open() }
    let driver = LifecycleDriver {
      for number in 1...5 {
        ScriptedListener("\(number)", [.didBecomeActive: .blockThread(until: gate)]).optional(timeout: .seconds(1))
      }
    }
    driver.run()
    try await driver.event("1", .didBecomeActive)
    #expect(
      await driver.clock.advance(by: .seconds(30), step: .milliseconds(250)) { driver.forcedExitStatus != nil })
    #expect(driver.forcedExitStatus == 70)
  }

  @Test("It takes the time of a manual clock")
  func slow() async throws {
    let clock = ManualClock()
    let driver = LifecycleDriver(clock: clock) {
      ScriptedListener("slow", [.didFinishLaunching: .sleep(for: .seconds(7), on: clock)])
    }
    driver.run()
    try await driver.event("slow", .didFinishLaunching)
    #expect(
      await clock.advance(by: .seconds(20), step: .seconds(1)) { driver.lifecycle.state == .foreground })
    #expect(await driver.stop() == 0)
  }

  @Test("A listener with an ability plays a script")
  func play() async throws {
    let answering = Answering()
    answering.script.on(.didReceiveRequest, .fail(Trouble()), .succeed)
    let driver = LifecycleDriver { answering }
    try await driver.start()
    #expect(await driver.send(LifecycleRequest("a")) == .refused(by: "answering", "on purpose"))
    #expect(await driver.send(LifecycleRequest("a")) == .handled(by: "answering", Data()))
    #expect(await driver.stop() == 0)
  }

  @Test("A wait at a gate ends with its task, also when that was cancelled before")
  func cancelledEarly() async {
    let listener = ScriptedListener("a", [.willTerminate: .wait(for: Gate())])
    let playing = Task {
      while !Task.isCancelled { await Task.yield() }
      try await listener.play(.willTerminate)
    }
    playing.cancel()
    await #expect(throws: CancellationError.self) { try await playing.value }
  }
}
