import Foundation
import Mediator
import MediatorTestKit
import Testing

/// Where the doc comments promise more than is seen at first sight.
@Suite("What the documentation promises, at its edges", .timeLimit(.minutes(5)))
struct ListenerModelEdgeTests {
  typealias Gate = ScriptedListener.Gate

  // MARK: Starts that took too long

  /// Its start takes as long as the gate, whatever is asked of it.
  private struct SlowRunner: RunningListener, StatusReporting {
    let name = "slow"
    let gate: Gate
    let log: Log
    let script: ScriptedListener

    init(_ gate: Gate, _ log: Log) {
      self.gate = gate
      self.log = log
      script = ScriptedListener("slow", [.didFinishLaunching: .ignoreCancellation(until: gate)])
    }

    func didFinishLaunching(_ transition: LifecycleTransition) async throws {
      try await withTaskCancellationHandler {
        try await script.play(.didFinishLaunching)
      } onCancel: {
        log.add("cancelled")
      }
      log.add("returned")
    }
    func run() async throws {
      log.add("run")
      for await _ in AsyncStream<Void>.makeStream().stream {}
    }
    func willEnterForeground(_ transition: LifecycleTransition) async throws { log.add("willEnterForeground") }
    func willTerminate(_ transition: LifecycleTransition) async throws { log.add("willTerminate") }
    var status: String {
      get async {
        log.add("status")
        return ""
      }
    }
  }

  @Test("ListenerSnapshot.State.stuck: 'is never called again'; run() is not begun, and status is not read")
  func stuckIsNotCalled() async throws {
    let (gate, log) = (Gate(), Log())
    let driver = LifecycleDriver {
      SlowRunner(gate, log).optional(timeout: .seconds(1))
      Named("b")
    }
    driver.run()
    try await driver.event("slow", .didFinishLaunching)
    #expect(
      await driver.clock.advance(by: .seconds(5), step: .milliseconds(250)) {
        driver.lifecycle.state == .foreground
      })
    #expect(driver.mediator.snapshot.first?.state == .stuck)
    gate.open()
    _ = await eventually { log.lines.contains("returned") }
    driver.lifecycle.updateStatus()
    // Time for what must not come.
    _ = await eventuallyShort { log.lines.contains("status") && log.lines.contains("run") }
    #expect(log.lines == ["cancelled", "returned"])
    #expect(await driver.stop() == 0)
  }

  @Test("required(timeout:): 'a call that takes longer is cancelled and has failed'; also if it returns in the grace")
  func lateStartHasFailed() async throws {
    let (gate, log) = (Gate(), Log())
    let driver = LifecycleDriver {
      SlowRunner(gate, log).optional(timeout: .seconds(1))
      Named("b")
    }
    driver.run()
    try await driver.event("slow", .didFinishLaunching)
    driver.clock.advance(by: .seconds(1))
    #expect(await eventually { log.lines == ["cancelled"] })
    gate.open()
    try await driver.lifecycle.state(.foreground)
    #expect(driver.mediator.snapshot.first?.state == .failed)
    #expect(await driver.stop() == 0)
    // "All it still hears is willTerminate"
    #expect(log.lines.filter { $0 != "status" } == ["cancelled", "returned", "willTerminate"])
  }

  // MARK: Idle exit

  private struct Answering: RequestListener {
    let name = "answering"
    let gate: Gate
    let script: ScriptedListener
    init(_ gate: Gate) {
      self.gate = gate
      script = ScriptedListener("answering", [.didReceiveRequest: .wait(for: gate)])
    }
    func answer(_ request: LifecycleRequest) async throws -> RequestAnswer {
      try await script.play(.didReceiveRequest)
      return .taken(Data())
    }
  }

  @Test("IdleExit.after: a request that came two seconds ago keeps the service, also while it is being answered")
  func requestBeingAnswered() async throws {
    let gate = Gate()
    let driver = LifecycleDriver { Answering(gate) }
    driver.lifecycle.idleExit = .after(.seconds(10))
    try await driver.start()
    try await driver.clock.waitForSleepers()  // the idle timer is armed a little after the foreground is reached
    driver.clock.advance(by: .seconds(8))
    async let answer = driver.send(LifecycleRequest("a"))
    try await driver.event("answering", .didReceiveRequest)
    driver.clock.advance(by: .seconds(2))
    gate.open()
    #expect(await answer == .handled(by: "answering", Data()))
    #expect(await !eventuallyShort { driver.lifecycle.state != .foreground })
    #expect(await driver.stop() == 0)
  }

  @Test("IdleExit.after: a reload is none of what makes the time begin anew")
  func reloadIsNoActivity() async throws {
    let driver = LifecycleDriver { ScriptedReloadListener("a") }
    driver.lifecycle.idleExit = .after(.seconds(10))
    try await driver.start()
    for _ in 0..<2 {
      try await driver.clock.waitForSleepers()
      driver.clock.advance(by: .seconds(4))
      _ = await driver.reload()
    }
    #expect(
      await driver.clock.advance(by: .seconds(3), step: .seconds(1)) {
        driver.lifecycle.state == .stopped
      })
    _ = await driver.stop()
  }

  // MARK: Termination

  private struct Deciding: TerminationDeciding {
    let name: String
    let decision: TerminationDecision
    func terminationDecision(_ transition: LifecycleTransition) async throws -> TerminationDecision { decision }
  }

  @Test("TerminationDecision.cancel 'counts for requestTermination() and idle exit': another's later puts off stop()")
  func cancelHidesLater() async throws {
    let driver = LifecycleDriver {
      Deciding(name: "a", decision: .later(.seconds(5)))
      Deciding(name: "b", decision: .cancel("busy"))
    }
    try await driver.start()
    driver.lifecycle.requestStop()
    try await driver.event("b", .shouldTerminate)
    // Without turning the clock it must not get further.
    let sawMore = await eventuallyShort { driver.events.contains { $0.event == .willResignActive } }
    #expect(!sawMore)
    driver.clock.advance(by: .seconds(5))
    #expect(await driver.exitStatus() == 0)
  }

  // MARK: State

  private struct Restoring: StateRestoring {
    static let stateVersion = 1
    let name = "restoring"
    func encodeState() async throws -> String? { nil }
    func restoreState(_ state: String) async throws {}
  }

  @Test("encodeState: 'nil for nothing': the next run does not get what an earlier one has left")
  func nothingToSave() async throws {
    let old = SavedState(listener: "restoring", version: 1, data: Data(#""old""#.utf8))
    let driver = LifecycleDriver(savedState: [old]) { Restoring() }
    try await driver.start()
    #expect(await driver.stop() == 0)
    #expect(driver.savedState == [])
  }

  // MARK: Scenes

  private struct Scenes: SceneListener {
    let log: Log
    func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) async throws {
      log.add(event.rawValue)
    }
  }

  @Test("connect(scene:kind:) 'returns when everybody was told': also when it is asked for during the start")
  func sceneDuringStart() async throws {
    let (gate, log) = (Gate(), Log())
    let driver = LifecycleDriver {
      ScriptedListener("gate", [.willFinishLaunching: .wait(for: gate)])
      Scenes(log: log)
    }
    driver.run()
    try await driver.event("gate", .willFinishLaunching)
    let lifecycle = driver.lifecycle
    async let scene = lifecycle.connect(scene: "one", kind: "any")
    gate.open()
    try await lifecycle.state(.foreground)
    // A refusal would do as well.
    if (try? await scene) != nil { #expect(log.lines.first == "willConnect") }
    #expect(await driver.stop() == 0)
  }

  /// Does what the error of an early connect advises.
  private struct Connecting: SceneListener {
    let lifecycle: Shared<Lifecycle?>
    let log: Log
    func didBecomeActive(_ transition: LifecycleTransition) async throws {
      let lifecycle = lifecycle.withLock(\.self)
      try await lifecycle?.connect(scene: "one", kind: "any")
      log.add("connected")
    }
    func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) async throws {
    }
  }

  @Test("the error of a connect before the start: 'connect it in didBecomeActive' does not wait for itself")
  func adviceOfConnect() async throws {
    let (lifecycle, log) = (Shared<Lifecycle?>(nil), Log())
    let driver = LifecycleDriver { Connecting(lifecycle: lifecycle, log: log) }
    lifecycle.withLock { $0 = driver.lifecycle }
    do {
      _ = try await driver.lifecycle.connect(scene: "one", kind: "any")
      Issue.record("connected before the start")
    } catch {
      #expect(error.advice == "connect it in didBecomeActive")
    }
    driver.run()
    #expect(await eventually { log.lines == ["connected"] })
    driver.lifecycle.requestStop()
    #expect(
      await driver.clock.advance(by: .seconds(60), step: .seconds(1)) { driver.lifecycle.state == .stopped })
  }

  // MARK: Entries

  private struct Taking: RequestListener {
    let name: String
    func answer(_ request: LifecycleRequest) async throws -> RequestAnswer { .taken(Data()) }
  }

  @Test("ListenerEntry.fallback() of a group: its members are 'asked only for what nobody else takes'")
  func fallbackGroup() async throws {
    let driver = LifecycleDriver {
      Group("last resort") { Taking(name: "fallback") }.fallback()
      Taking(name: "first")
    }
    try await driver.start()
    #expect(await driver.send(LifecycleRequest("a")) == .handled(by: "first", Data()))
    #expect(await driver.stop() == 0)
  }

  @Test("Concurrently: each member is told of each event once")
  func concurrently() async throws {
    let driver = LifecycleDriver {
      Named("before")
      Concurrently {
        Named("a")
        Named("b")
        Named("c")
      }
      Named("after")
    }
    try await driver.start()
    #expect(driver.events.names(of: .didFinishLaunching).sorted() == ["a", "after", "b", "before", "c"])
    #expect(await driver.stop() == 0)
    #expect(driver.events.names(of: .willTerminate).sorted() == ["a", "after", "b", "before", "c"])
    #expect(driver.events.names(of: .willTerminate).first == "after")
  }

  // MARK: Requests

  @Test("F16: a request that comes before the run is kept, and offered once after didBecomeActive")
  func earlyRequest() async throws {
    let gate = Gate()
    gate.open()
    let driver = LifecycleDriver { Answering(gate) }
    let lifecycle = driver.lifecycle
    async let answer = lifecycle.send(LifecycleRequest("a"))
    _ = await eventually { lifecycle.core.withLock { $0.hasEarlyInputs } }
    try await driver.start()
    #expect(await answer == .handled(by: "answering", Data()))
    #expect(
      driver.events.firstMissing(inOrder: [
        RecordedEvent("answering", .didBecomeActive, .start), RecordedEvent("answering", .didReceiveRequest, .start),
      ]) == nil)
    #expect(await driver.stop() == 0)
  }

  /// What would have come by now, if it came at all.
  private func eventuallyShort(_ condition: @escaping @Sendable () -> Bool) async -> Bool {
    for _ in 0..<100 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
    return condition()
  }
}
