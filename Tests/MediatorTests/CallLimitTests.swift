import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("The limit of one call, and what is asked of a transition that waits", .timeLimit(.minutes(5)))
struct CallLimitTests {
  /// Turns the clock, a second at a time, while a listener is inside its call.
  private func turn(_ driver: LifecycleDriver, seconds: Int) async {
    for _ in 0..<seconds {
      await driver.settleLoop()
      driver.clock.advance(by: .seconds(1))
    }
    await driver.settleLoop()
  }

  @Test("Two listeners of 20 s each are both let finish a pause under a limit of 30 s for one call")
  func callsAreCountedApart() async throws {
    let (log, gates) = (Log(), ["a": Gate(), "b": Gate()])
    let driver = LifecycleDriver {
      for name in ["a", "b"] {
        Named(name, log: log) { if $0.event == .didEnterBackground { await gates[name]?.pass() } }
      }
    }
    try await driver.start()
    async let pause: Void = driver.pause()
    for name in ["b", "a"] {
      await eventually { log.lines.last == "\(name).didEnterBackground" }
      await turn(driver, seconds: 20)
      await gates[name]?.open()
    }
    try await pause
    #expect(driver.notifyMessages.last == "STATUS=paused")
    #expect(await driver.stop() == 0)
  }

  @Test("Requests that wait for their turn have all their time when it comes")
  func queuedRequests() async throws {
    let log = Log()
    let gates = (0..<5).map { _ in Gate() }
    let driver = LifecycleDriver {
      Answering(name: "a", log: log) { request in
        await gates[Int(request.verb) ?? 0].pass()
        return .taken(Data())
      }
    }
    try await driver.start()
    async let results = driver.lifecycle.send((0..<5).map { LifecycleRequest("\($0)") })
    for count in 1...5 {
      await log.wait(count: count)
      await turn(driver, seconds: 10)
      let verb = log.lines[count - 1].dropFirst(2)
      await gates[Int(verb) ?? 0].open()
    }
    #expect(await results == Array(repeating: .handled(by: "a", Data()), count: 5))
    #expect(await driver.stop() == 0)
  }

  @Test("A question asked during a reload has a limit of its own")
  func questionInReload() async throws {
    let (log, gate) = (Log(), Gate())
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(call: .seconds(5))) {
      Reloading("r", log: log) { if $0 == .reload { await gate.pass() } }
      Deciding("d", log: log) {
        await hang()
        return .now
      }
    }
    try await driver.start()
    async let outcome = driver.reload()
    await eventually { log.lines.last == "r.reload" }
    async let decision = driver.lifecycle.requestTermination()
    await eventually { driver.lifecycle.core.withLock { $0.openTransitionCount } == 2 }
    await gate.open()
    await eventually { log.lines.last == "d.asked" }
    await turn(driver, seconds: 11)
    driver.clock.advance(by: grace)
    #expect(await decision == .now)
    // The stop that follows from the decision may overtake the end of the reload, which then is dropped.
    switch await outcome {
    case .reloaded(generation: 2, _), .droppedByStop: break
    case let other: Issue.record("the reload ended otherwise: \(other)")
    }
    #expect(await driver.exitStatus() == 0)
  }

  @Test("A newcomer whose start hangs is passed over, and is no member")
  func hangingNewcomer() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(call: .seconds(5))) { Named("a") }
    try await driver.start()
    async let added: Bool = {
      do {
        try await driver.mediator.add(
          ListenerEntry(Named("n", log: log) { if $0.event == .didFinishLaunching { await hang() } }))
        return true
      } catch { return false }
    }()
    await eventually { log.lines.last == "n.didFinishLaunching" }
    await turn(driver, seconds: 11)
    driver.clock.advance(by: grace)
    #expect(await !added)
    #expect(driver.mediator.snapshot.map(\.name) == ["a"])
    #expect(await driver.stop() == 0)
  }

  @Test("A stop during a start that waits in the queue brings nobody to the foreground")
  func cancelledInQueue() async throws {
    let (log, gate) = (Log(), Gate())
    let box = Shared<LifecycleDriver?>(nil)
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(9))) {
      Named("a", log: log) { transition in
        if transition.origin == .foreignPost { await gate.pass() }
        if transition.event == .didFinishLaunching {
          // Before the next event of the start comes somebody else's post, which holds the queue.
          let driven = box.withLock(\.self)
          driven?.center.post(name: Lifecycle.didBecomeActiveNotification, object: driven?.lifecycle)
        }
      }
    }
    box.withLock { $0 = driver }
    driver.run()
    await eventually { log.lines.last == "a.didBecomeActive" }
    async let status = driver.stop()
    await eventually { driver.notifyMessages.last?.hasPrefix("STOPPING=1") == true }
    await turn(driver, seconds: 7)
    await gate.open()
    _ = await status
    box.withLock { $0 = nil }
    let told = log.lines
    // The foreign post is a didBecomeActive; the start's own never comes.
    #expect(!told.contains("a.willEnterForeground"))
  }

  @Test("The run of a listener that was left behind is cancelled")
  func runOfStuck() async throws {
    struct Stuck: RunningListener {
      let log: Log
      func didEnterBackground(_ transition: LifecycleTransition) async throws {
        log.add("background")
        await hang()
      }
      func run() async throws {
        try? await Task.sleep(for: .seconds(600))
        log.add("run ended")
      }
    }
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(9))) { Stuck(log: log) }
    try await driver.start()
    async let status = driver.stop()
    await eventually { log.lines.last == "background" }
    driver.clock.advance(by: .seconds(8))
    await eventually { driver.clock.sleeperCount > 1 }
    driver.clock.advance(by: grace)
    #expect(await status == 75)
    #expect(await eventually { log.lines.last == "run ended" })
  }

  @Test("A mediator that comes late reports what fails in bringing its listeners up, and keeps its groups' policies")
  func lateMediator() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a") }
    try await driver.start()
    let late = LifecycleMediator(center: driver.center, object: driver.lifecycle) {
      Named("bad", log: log, failing: [.didFinishLaunching])
      Group("g") {
        Named("x", log: log, failing: [.didFinishLaunching])
        Named("y", log: log)
      }.optional()
    }
    #expect(await eventually { driver.notifyMessages.last?.hasPrefix("STATUS=degraded: bad: ") == true })
    await eventually { late.snapshot.isEmpty }
    #expect(!log.lines.contains("y.didFinishLaunching"))
    #expect(await driver.stop() == 70)
    withExtendedLifetime(late) {}
  }

  @Test("A scene's own listener goes with it, though it holds the scene")
  func sceneIsReleased() async throws {
    final class Holder: SceneListener {
      let scene: LifecycleScene
      init(_ scene: LifecycleScene) { self.scene = scene }
      func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) async throws
      {}
    }
    let driver = LifecycleDriver { ListenerEntry.scenes("k") { Holder($0) } }
    try await driver.start()
    weak var seen: LifecycleScene?
    do {
      let scene = try await driver.lifecycle.connect(scene: "s", kind: "k")
      seen = scene
      await scene.disconnect()
    }
    #expect(await eventually { seen == nil })
    #expect(await driver.stop() == 0)
  }
}
