import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("What listeners are made of", .timeLimit(.minutes(5)))
struct ListenerModelTests {
  private static let greeting = ContextKey("greeting", default: "hello")

  // MARK: Context and factories

  @Test("Factories are run once, in order, when launching begins, and get what listeners share")
  func factories() async throws {
    let log = Log()
    let context = LifecycleContext(start: StartInformation(arguments: ["server"], cause: .restart))
    let driver = LifecycleDriver(context: context) {
      Named("a", log: log) { transition in
        if transition.event == .willFinishLaunching { transition.context[Self.greeting] = "good morning" }
      }
      ListenerEntry.factory("b") { context in
        log.add("made b: \(context[Self.greeting]), \(context.start.cause)")
        return Reloading("made", log: log)
      }
      ListenerEntry.factory("c") { context in Named("c", log: log) }
    }
    #expect(log.lines.isEmpty)
    #expect(driver.lifecycle.capabilities.isEmpty, "nobody knows what a factory makes")
    try await driver.start()
    #expect(
      log.take().prefix(3) == ["a.willFinishLaunching", "made b: good morning, restart", "c.willFinishLaunching"])
    #expect(driver.lifecycle.capabilities == [.reload])
    #expect(driver.mediator.snapshot.map(\.name) == ["a", "b", "c"])
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    _ = log.take()
    #expect(await driver.stop() == 0)
    #expect(log.take().filter { $0.hasSuffix("willTerminate") } == ["c.willTerminate", "a.willTerminate"])
  }

  @Test("An error of a required factory is a start error; without an optional one the service is degraded")
  func failingFactories() async throws {
    let broken: @Sendable (LifecycleContext) async throws -> any LifecycleListener = { _ in throw Trouble("no driver") }
    let bad = LifecycleDriver { ListenerEntry.factory("db", broken) }
    bad.run()
    #expect(await bad.exitStatus() == 69)
    #expect(bad.notifyMessages.last == "STOPPING=1\nSTATUS=start failed: db: no driver")
    let log = Log()
    let good = LifecycleDriver {
      ListenerEntry.factory("db", broken).optional()
      Named("a", log: log)
    }
    try await good.start()
    #expect(good.notifyMessages.last == "STATUS=degraded: db: no driver\nREADY=1")
    #expect(await good.stop() == 0)
    #expect(log.lines.last == "a.willTerminate")
  }

  @Test("A context keeps values of one name and two types apart")
  func contextKeys() {
    let context = LifecycleContext()
    let number = ContextKey("greeting", default: 1)
    context[Self.greeting] = "hi"
    #expect(context[number] == 1)
    context[number] = 2
    #expect(context[Self.greeting] == "hi" && context[number] == 2)
  }

  // MARK: Synchronous listeners

  struct Quick: SynchronousListener {
    let name: String
    let log: Log
    var failing: Set<LifecycleEvent> = []
    func handle(_ transition: LifecycleTransition) throws {
      log.add("\(name).\(transition.event.rawValue)")
      if failing.contains(transition.event) { throw Trouble("no") }
    }
  }

  @Test("A synchronous listener is told of the seven events in its place among the others, and by the same rules")
  func synchronous() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log)
      Quick(name: "q", log: log)
      Named("b", log: log)
    }
    try await driver.start()
    #expect(await driver.stop() == 0)
    let order = log.lines.filter { $0.hasSuffix("didFinishLaunching") || $0.hasSuffix("willTerminate") }.map(\.first)
    #expect(order == ["a", "q", "b", "b", "q", "a"])
    #expect(log.lines.filter { $0.hasPrefix("q.") }.count == 7)
    let failing = LifecycleDriver {
      Quick(name: "q", log: log)
      Quick(name: "r", log: log, failing: [.didFinishLaunching])
      Quick(name: "s", log: log)
    }
    _ = log.take()
    failing.run()
    #expect(await failing.exitStatus() == 69)
    #expect(
      log.take().suffix(4) == ["q.didFinishLaunching", "r.didFinishLaunching", "r.willTerminate", "q.willTerminate"])
  }

  @Test("D16: a synchronous listener that blocks is left behind like any other, and named")
  func blockingSynchronous() async throws {
    struct Blocker: SynchronousListener {
      let forever: DispatchSemaphore
      func handle(_ transition: LifecycleTransition) throws {
        if transition.event == .didEnterBackground { block(on: forever) }
      }
    }
    let (log, forever) = (Log(), DispatchSemaphore(value: 0))
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(9))) {
      Quick(name: "a", log: log)
      Blocker(forever: forever)
      Quick(name: "b", log: log)
    }
    try await driver.start()
    async let status = driver.stop()
    await eventually { log.lines.last == "b.didEnterBackground" && driver.clock.sleeperCount == 2 }
    driver.clock.advance(by: .seconds(8))
    await eventually { driver.clock.sleeperCount > 1 }
    driver.clock.advance(by: grace)
    #expect(await status == 75)
    #expect(log.take().suffix(3) == ["a.didEnterBackground", "b.willTerminate", "a.willTerminate"])
    #expect(driver.notifyMessages.last?.contains("Blocker: timed out in didEnterBackground") == true)
    forever.signal()
  }

  // MARK: Capabilities, snapshot, replace

  @Test("D03: capabilities follow from the abilities of the listeners that are there")
  func capabilities() async throws {
    let log = Log()
    let driver = LifecycleDriver { Reloading("r", log: log) }
    #expect(driver.lifecycle.capabilities == [.reload])
    try await driver.start()
    let token = try await driver.mediator.add(ListenerEntry(Probe(log: log)))
    #expect(
      driver.lifecycle.capabilities == [
        .reload, .signals, .memoryPressure, .timeChange, .secrets, .requests, .stateRestoring, .termination, .scenes,
      ])
    await driver.mediator.remove(token)
    #expect(driver.lifecycle.capabilities == [.reload])
    #expect(await driver.stop() == 0)
  }

  @Test("A snapshot tells each listener's state, groups and, where measured, last durations")
  func snapshot() async throws {
    let clock = ManualClock()
    let driver = LifecycleDriver(clock: clock) {
      Named("a") { if $0.event == .didBecomeActive { clock.advance(by: .milliseconds(7)) } }
      Group("g") {
        Concurrently("c") { Reloading("b", log: Log()) }
        Named("failed", failing: [.didFinishLaunching]).optional()
      }
    }
    driver.mediator.measuresDurations = true
    #expect(driver.mediator.snapshot.map(\.state) == [.waiting, .waiting, .waiting])
    try await driver.start()
    let snapshot = driver.mediator.snapshot
    #expect(snapshot.map(\.state) == [.foreground, .foreground, .failed])
    #expect(snapshot.map(\.groups) == [[], ["g", "c"], ["g"]])
    #expect(snapshot.map(\.isRequired) == [true, true, false])
    #expect(snapshot[1].capabilities == [.reload])
    #expect(snapshot[0].lastDurations[.didBecomeActive] == .milliseconds(7))
    #expect(snapshot[0].lastDurations[.didFinishLaunching] == .zero)
    try await driver.pause()
    #expect(driver.mediator.snapshot.map(\.state) == [.background, .background, .failed])
    #expect(await driver.stop() == 0)
    #expect(driver.mediator.snapshot.map(\.state) == [.ended, .ended, .ended])
  }

  @Test("Replacing keeps the place: the old one stops, then the new one starts")
  func replace() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a", log: log) }
    try await driver.start()
    let b = try await driver.mediator.add(ListenerEntry(Named("b", log: log)))
    try await driver.mediator.add(ListenerEntry(Named("c", log: log)))
    _ = log.take()
    let new = try await driver.mediator.replace(b, with: ListenerEntry(Named("B", log: log)))
    #expect(
      log.take() == [
        "b.willResignActive", "b.didEnterBackground", "b.willTerminate", "B.willFinishLaunching",
        "B.didFinishLaunching", "B.willEnterForeground", "B.didBecomeActive",
      ])
    #expect(driver.mediator.snapshot.map(\.name) == ["a", "B", "c"])
    let gone = await #expect(throws: LifecycleError.self) {
      try await driver.mediator.replace(b, with: ListenerEntry(Named("x")))
    }
    #expect(gone?.code == .notAMember)
    await #expect(throws: LifecycleError.self) {
      try await driver.mediator.replace(new, with: ListenerEntry(Named("y", failing: [.didFinishLaunching])))
    }
    #expect(driver.mediator.snapshot.map(\.name) == ["a", "c"])
    #expect(await driver.stop() == 0)
  }

  // MARK: Injector

  @Test("D08: what is registered before the lifecycle exists is delivered once, in order, to the one that takes it")
  func injector() async throws {
    let (log, injector) = (Log(), LifecycleInjector())
    injector.register(Named("a", log: log))
    let b = injector.register(Named("b", log: log))
    injector.register(Named("c", log: log))
    await injector.remove(b)
    let first = LifecycleDriver(injector: injector) { Named("own", log: log) }
    let second = LifecycleDriver(injector: injector) { Named("other", log: log) }
    #expect(first.mediator.snapshot.map(\.name) == ["a", "c", "own"])
    #expect(second.mediator.snapshot.map(\.name) == ["other"])
    try await first.start()
    try await second.start()
    let late = injector.register(Named("late", log: log))
    await eventually { log.lines.last == "late.didBecomeActive" }
    #expect(first.mediator.snapshot.map(\.name) == ["a", "c", "own", "late"])
    await injector.remove(late)
    #expect(log.lines.last == "late.willTerminate")
    #expect(await first.stop() == 0)
    #expect(await second.stop() == 0)
  }

  // MARK: State and status

  struct Counter: StateRestoring {
    struct State: Codable, Sendable { var count: Int }
    static let stateVersion = 2
    let count: Shared<Int>
    var refuses = false
    var name: String { "counter" }
    func encodeState() async throws -> State? { State(count: count.withLock(\.self)) }
    func restoreState(_ state: State) async throws {
      if refuses { throw Trouble("no") }
      count.withLock { $0 = state.count }
    }
  }

  @Test("State is handed over before the stop and offered to the next run; another version or garbage is left out")
  func state() async throws {
    let first = Shared(41)
    let one = LifecycleDriver { Counter(count: first) }
    try await one.start()
    first.withLock { $0 = 42 }
    #expect(try await one.lifecycle.saveState().count == 1)
    #expect(await one.stop() == 0)
    let second = Shared(0)
    let two = LifecycleDriver(savedState: one.savedState) { Counter(count: second) }
    try await two.start()
    #expect(second.withLock(\.self) == 42)
    #expect(await two.stop() == 0)
    let data = try #require(one.savedState.first?.data)
    let strangers = [
      SavedState(listener: "counter", version: 1, data: data),
      SavedState(listener: "counter", version: 2, data: Data("{".utf8)),
      SavedState(listener: "counter", version: 2, data: Data()),
      SavedState(listener: "nobody", version: 2, data: data),
    ]
    for stranger in strangers {
      let third = Shared(7)
      let driver = LifecycleDriver(savedState: [stranger]) { Counter(count: third) }
      try await driver.start()
      #expect(third.withLock(\.self) == 7)
      #expect(driver.notifyMessages.last == "STATUS=running\nREADY=1")
      #expect(await driver.stop() == 0)
    }
  }

  @Test("State that a listener refuses is no failed start")
  func refusedState() async throws {
    let saved = SavedState(listener: "counter", version: 2, data: Data(#"{"count":1}"#.utf8))
    let driver = LifecycleDriver(savedState: [saved]) { Counter(count: Shared(0), refuses: true) }
    try await driver.start()
    #expect(driver.notifyMessages.last == "STATUS=degraded: counter: no\nREADY=1")
    _ = await driver.stop()
  }

  @Test("What the last listener that says something says becomes STATUS")
  func status() async throws {
    struct Saying: StatusReporting {
      let text: Shared<String>
      var status: String { get async { text.withLock(\.self) } }
    }
    let (a, b) = (Shared("3 jobs"), Shared("5 connections"))
    let driver = LifecycleDriver {
      Saying(text: a)
      Saying(text: b)
    }
    try await driver.start()
    #expect(await eventually { driver.notifyMessages.last == "STATUS=5 connections" })
    b.withLock { $0 = "" }
    driver.lifecycle.updateStatus()
    #expect(await eventually { driver.notifyMessages.last == "STATUS=3 jobs" })
    try await driver.pause()
    #expect(await eventually { driver.notifyMessages.last == "STATUS=paused, 3 jobs" })
    #expect(await driver.stop() == 0)
  }

  @Test("What a listener says of its progress stands in STATUS beside its place, as long as it is being told")
  func progress() async throws {
    let (log, gate) = (Log(), Gate())
    let driver = LifecycleDriver {
      Named("a", log: log)
      Named("db", log: log) { transition in
        guard transition.event == .didFinishLaunching else { return }
        transition.report(progress: "40 %")
        log.add("said")
        await gate.pass()
      }
    }
    driver.run()
    await eventually { log.lines.last == "said" }
    driver.clock.advance(by: .seconds(2))
    #expect(await eventually { driver.extensionMessages.last?.hasPrefix("STATUS=starting 2/2: db 40 %\n") == true })
    await gate.open()
    try await driver.lifecycle.state(.foreground)
    #expect(await driver.stop() == 0)
  }
}
