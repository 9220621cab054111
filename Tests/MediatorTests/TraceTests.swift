import Foundation
import MediatorTestKit
import Testing

@testable import Mediator

@Suite("The trace of a lifecycle", .timeLimit(.minutes(5)))
struct TraceTests {
  /// "a.didFinishLaunching 2.0 s" and the like, for entries that a test looks at.
  private static func lines(_ trace: LifecycleTrace, _ isWanted: (LifecycleTrace.Entry) -> Bool = { _ in true })
    -> [String]
  {
    trace.entries.filter(isWanted).map { entry in
      let what =
        switch entry.kind {
        case .event(let event, let reason, _): "\(event.rawValue) (\(reason.rawValue))"
        case .listener(let name, let event, _): "\(name).\(event.rawValue)"
        case .state(let state): "state \(state.rawValue)"
        case .notify(let text): text
        case .signal(let origin): "\(origin)"
        }
      let result =
        switch entry.result {
        case .completed: ""
        case .failed(let message): " failed: \(message)"
        case .timedOut: " timed out"
        case .cancelled: " cancelled"
        case nil: " open"
        }
      return "\(what) \(entry.duration.map { "\($0 / .seconds(1))" } ?? "-")\(result)"
    }
  }

  private static func isCall(_ entry: LifecycleTrace.Entry) -> Bool {
    if case .listener = entry.kind { true } else { false }
  }

  private static func driver(
    _ clock: ManualClock = ManualClock(), timeouts: LifecycleTimeouts = LifecycleTimeouts(),
    @ListenerBuilder _ listeners: () -> [ListenerEntry]
  ) -> (LifecycleDriver, LifecycleTrace) {
    let driver = LifecycleDriver(clock: clock, timeouts: timeouts, listeners)
    let trace = LifecycleTrace()
    driver.lifecycle.trace = trace
    return (driver, trace)
  }

  @Test("A whole life: states, events, calls and messages in the order in which they began, with their durations")
  func wholeLife() async throws {
    let clock = ManualClock()
    let (driver, trace) = Self.driver(clock) {
      Named("a") { if $0.event == .didFinishLaunching { clock.advance(by: .milliseconds(500)) } }
    }
    try await driver.start()
    #expect(await driver.stop() == 0)
    let isMessage = { (entry: LifecycleTrace.Entry) in if case .notify = entry.kind { true } else { false } }
    #expect(
      Self.lines(trace) { !isMessage($0) } == [
        "state starting 0.5", "willFinishLaunching (start) 0.0", "a.willFinishLaunching 0.0",
        "didFinishLaunching (start) 0.5", "a.didFinishLaunching 0.5", "willEnterForeground (start) 0.0",
        "a.willEnterForeground 0.0", "didBecomeActive (start) 0.0", "a.didBecomeActive 0.0", "state foreground 0.0",
        "state stopping 0.0", "willResignActive (stop) 0.0", "a.willResignActive 0.0", "didEnterBackground (stop) 0.0",
        "a.didEnterBackground 0.0", "willTerminate (stop) 0.0", "a.willTerminate 0.0", "state stopped - open",
      ])
    let messages = Self.lines(trace, isMessage)
    let isThere = { (word: String) in messages.count { $0.contains(word) } == 1 }
    #expect(isThere("READY=1") && isThere("STOPPING=1"))
    #expect(trace.entries.map(\.number) == Array(1...UInt64(trace.entries.count)))
    // A call bears the number of its event.
    let serials = trace.entries.filter(Self.isCall).map(\.serial)
    #expect(serials == [1, 2, 3, 4, 5, 6, 7])
    #expect(trace.droppedCount == 0)
  }

  @Test("Who fails is marked with its reason, and so is the event, if the listener is required")
  func failures() async throws {
    let (driver, trace) = Self.driver {
      Named("optional", failing: [.didFinishLaunching]).optional()
      Named("required", failing: [.didBecomeActive])
    }
    driver.run()
    #expect(await driver.exitStatus() == 69)
    let lines = Self.lines(trace)
    #expect(lines.contains("optional.didFinishLaunching 0.0 failed: didFinishLaunching went wrong"))
    #expect(lines.contains("didFinishLaunching (start) 0.0"))
    #expect(lines.contains("required.didBecomeActive 0.0 failed: didBecomeActive went wrong"))
    #expect(lines.contains("didBecomeActive (start) 0.0 failed: required: didBecomeActive went wrong"))
  }

  @Test("Who is left behind has timed out, who returns late too, and who is cancelled by the stop was called off")
  func endsOfTime() async throws {
    let (driver, trace) = Self.driver(timeouts: LifecycleTimeouts(start: .seconds(100))) {
      Named("hung") { if $0.event == .didFinishLaunching { await hang() } }.optional(timeout: .seconds(1))
      Named("late") { if $0.event == .didFinishLaunching { try await Task.sleep(for: .seconds(600)) } }
        .optional(timeout: .seconds(1))
      Named("last") { if $0.event == .didFinishLaunching { try await Task.sleep(for: .seconds(600)) } }
    }
    driver.run()
    _ = await driver.turn(by: .milliseconds(250)) {
      driver.events.last == RecordedEvent("last", .didFinishLaunching, .start)
    }
    let open = Self.lines(trace).filter { $0.hasPrefix("last.didFinishLaunching") }
    #expect(open == ["last.didFinishLaunching - open"])
    #expect(await driver.stop() == 0)
    let calls = trace.entries.filter { entry in
      if case .listener(_, .didFinishLaunching, _) = entry.kind { true } else { false }
    }
    #expect(calls.map(\.result) == [.timedOut, .timedOut, .cancelled])
    #expect(calls.compactMap(\.duration).first.map { $0 >= .seconds(1) } == true)
  }

  @Test(
    "Members of a concurrent group, synchronous listeners, newcomers, scenes and reloads are traced like all others")
  func everybody() async throws {
    final class Quick: SynchronousListener {
      let name = "quick"
      func handle(_ transition: LifecycleTransition) throws {}
    }
    struct OfScene: SceneListener {
      let name = "of scene"
      let kinds: Set<String> = []
      func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) {}
    }
    let (driver, trace) = Self.driver {
      Concurrently("both") {
        Named("one")
        Named("two")
      }
      Quick()
      Reloading("reloading", log: Log())
      OfScene()
    }
    try await driver.start()
    try await driver.mediator.add(Named("newcomer").required())
    _ = await driver.reload()
    _ = try await driver.lifecycle.connect(scene: "s", kind: "k")
    let lines = Self.lines(trace)
    for line in [
      "one.didFinishLaunching", "two.didFinishLaunching", "quick.didFinishLaunching", "newcomer.didBecomeActive",
      "reloading.prepareReload", "reloading.reload", "of scene.sceneDidBecomeActive", "state reloading",
    ] { #expect(lines.contains("\(line) 0.0"), "\(line) in \(lines)") }
    #expect(await driver.stop() == 0)
    #expect(!Self.lines(trace, Self.isCall).contains { $0.hasSuffix("open") })
  }

  @Test("Without a trace nothing is kept, and one that is taken away keeps what it has")
  func switching() async throws {
    let driver = LifecycleDriver { Named("a") }
    #expect(driver.lifecycle.trace == nil)
    try await driver.start()
    let trace = LifecycleTrace()
    driver.lifecycle.trace = trace
    try await driver.pause()
    driver.lifecycle.trace = nil
    try await driver.resume()
    #expect(await driver.stop() == 0)
    #expect(
      Self.lines(trace, Self.isCall) == ["a.willResignActive 0.0", "a.didEnterBackground 0.0"])
  }

  @Test("A name of any length and any character costs no more than its room, and is kept as it came")
  func hostileNames() async throws {
    let long = "\u{1B}[2J\r\n" + String(repeating: "x", count: 100_000)
    let (driver, trace) = Self.driver { Named(long) }
    try await driver.start()
    #expect(await driver.stop() == 0)
    let names = trace.entries.compactMap { entry in
      if case .listener(let name, _, _) = entry.kind { name } else { nil }
    }
    #expect(names.count == 7 && names.allSatisfy { $0.utf8.count == 256 && $0.hasPrefix("\u{1B}[2J\r\n") })
  }
}
