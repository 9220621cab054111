import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("Listeners are told in order", .timeLimit(.minutes(5)))
struct MediatorOrderTests {
  @Test("Start and resume go in registration order, pause and stop in reverse")
  func order() async throws {
    let driver = LifecycleDriver {
      Named("a")
      Named("b")
    }
    try await driver.start()
    try await driver.pause()
    try await driver.resume()
    #expect(await driver.stop() == 0)
    let told = driver.events.map { "\($0.listener).\($0.event.rawValue)" }
    let forward: [LifecycleEvent] = [.willEnterForeground, .didBecomeActive]
    let backward: [LifecycleEvent] = [.willResignActive, .didEnterBackground]
    var expected = both("ab", [.willFinishLaunching, .didFinishLaunching] + forward)
    expected += both("ba", backward) + both("ab", forward) + both("ba", backward + [.willTerminate])
    #expect(told == expected)
  }

  private func both(_ names: String, _ events: [LifecycleEvent]) -> [String] {
    events.flatMap { event in names.map { "\($0).\(event.rawValue)" } }
  }

  @Test("D11: a hundred listeners are told in registration order in each of 1,000 posts")
  func hundred() async throws {
    let center = NotificationCenter()
    let log = Log()
    let mediator = LifecycleMediator(center: center) {
      for index in 0..<100 { Named("\(index)", log: log) }
    }
    let expected = (0..<100).map { "\($0).didBecomeActive" }
    for _ in 0..<1000 {
      center.post(name: Lifecycle.didBecomeActiveNotification, object: nil)
      await log.wait(count: 100)
      #expect(log.take() == expected)
    }
    withExtendedLifetime(mediator) {}
  }

  @Test("D04: each event reaches its own method of a probe exactly once", arguments: LifecycleEvent.allCases)
  func probe(event: LifecycleEvent) async {
    let center = NotificationCenter()
    let log = Log()
    let mediator = LifecycleMediator(center: center) { Probe(log: log) }
    let transition = Transitions(event)
    transition.post(on: center)
    _ = await transition.outcome()
    let isReload = event == .reload || event == .revertReload
    let needsStart = event != .willFinishLaunching && event != .didFinishLaunching
    // A transition that follows the rules skips what a listener was not started for; a foreign post does not.
    #expect(log.take() == (isReload || needsStart ? [] : [event.rawValue]))
    center.post(name: event.notificationName, object: nil)
    // Behind it comes one that everybody knows, to tell when all has arrived.
    center.post(name: LifecycleEvent.willTerminate.notificationName, object: nil)
    await eventually { log.lines.last == "willTerminate" && (event != .willTerminate || log.lines.count == 2) }
    let told = log.take().dropLast()
    switch event {
    case .reload: #expect(told == ["prepareReload", "reload"])
    // A signal without a number is none that the probe has named, and the others are nothing without what they carry.
    case .didReceiveSignal, .didReceiveRequest, .restoreState: #expect(told == [])
    case _ where event.isOfScene: #expect(told == [])
    default: #expect(told == [event.rawValue])
    }
    withExtendedLifetime(mediator) {}
  }

  @Test("D04: a whole life reaches a probe under each event's own name")
  func wholeLife() async throws {
    let log = Log()
    let saved = SavedState(listener: "Probe", version: 1, data: Data("\"state\"".utf8))
    let driver = LifecycleDriver(savedState: [saved]) { Probe(log: log) }
    try await driver.start()
    _ = await driver.reload()
    await driver.signal(Probe.signal)
    await driver.warn(of: MemoryPressure(level: .full))
    await driver.change(.clockWasSet)
    await driver.secrets(available: true)
    await driver.secrets(available: false)
    #expect(await driver.send(.reopen) == .unclaimed)
    try await driver.lifecycle.connect(scene: "a", kind: "any").discard()
    _ = await driver.stop()
    let start: [LifecycleEvent] = [
      .willFinishLaunching, .restoreState, .didFinishLaunching, .willEnterForeground, .didBecomeActive,
    ]
    let reload: [LifecycleEvent] = [
      .prepareReload, .willResignActive, .didEnterBackground, .reload, .willEnterForeground, .didBecomeActive,
      .encodeState,
    ]
    let news: [LifecycleEvent] = [
      .didReceiveSignal, .didReceiveMemoryWarning, .significantTimeChange, .secretsDidBecomeAvailable,
      .secretsWillBecomeUnavailable, .didReceiveRequest,
    ]
    let scene: [LifecycleEvent] = [
      .sceneWillConnect, .sceneWillEnterForeground, .sceneDidBecomeActive, .sceneWillResignActive,
      .sceneDidEnterBackground, .sceneDidDisconnect, .sceneDidDiscard,
    ]
    let stop: [LifecycleEvent] = [
      .shouldTerminate, .willResignActive, .didEnterBackground, .encodeState, .willTerminate,
    ]
    #expect(log.take() == (start + reload + news + scene + stop).map(\.rawValue))
    #expect(driver.savedState == [saved])
    // Nothing is missing but the way back from a reload that fails, which has tests of its own.
    #expect(Set(start + reload + news + scene + stop) == Set(LifecycleEvent.allCases).subtracting([.revertReload]))
  }

  @Test("D03: a listener that implements only reload is told of nothing else")
  func onlyReload() async throws {
    let log = Log()
    let driver = LifecycleDriver { Reloading("r", log: log) }
    try await driver.start()
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    #expect(await driver.stop() == 0)
    #expect(log.take() == ["r.prepareReload", "r.reload"])
  }

  @Test("D12: a post from inside a post is delivered after the current one, without a deadlock")
  func nestedPost() async {
    let center = NotificationCenter()
    let log = Log()
    let mediator = LifecycleMediator(center: center) {
      Named("a", log: log)
      Named("b", log: log)
    }
    let observer = center.addObserver(forName: Lifecycle.willEnterForegroundNotification, object: nil, queue: nil) {
      [weak center] _ in
      center?.post(name: Lifecycle.didBecomeActiveNotification, object: nil)
    }
    center.post(name: Lifecycle.willEnterForegroundNotification, object: nil)
    await log.wait(count: 4)
    let told = log.take()
    let first = told.prefix(2).map { $0.split(separator: ".")[1] }
    #expect(Set(first).count == 1, "the two posts are not mixed: \(told)")
    #expect(told.map { $0.prefix(1) } == ["a", "b", "a", "b"])
    center.removeObserver(observer)
    withExtendedLifetime(mediator) {}
  }

  @Test("D13: a post without a transition reaches listeners, and moves nothing")
  func foreignPost() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a", log: log) }
    try await driver.start()
    _ = log.take()
    driver.center.post(name: Lifecycle.didEnterBackgroundNotification, object: driver.lifecycle)
    await log.wait(count: 1)
    #expect(log.take() == ["a.didEnterBackground"])
    #expect(driver.lifecycle.state == .foreground)
    #expect(log.newest?.origin == .foreignPost)
    #expect(await driver.stop() == 0)
    #expect(log.take() == ["a.willResignActive", "a.didEnterBackground", "a.willTerminate"])
  }

  @Test("D14: an observer of every name gets every event, and nothing traps")
  func observerOfAllNames() async throws {
    let center = NotificationCenter()
    let names = Log()
    let observer = center.addObserver(forName: nil, object: nil, queue: nil) { notification in
      names.add(notification.name.rawValue)
    }
    let driver = LifecycleDriver(center: center) { Reloading("r", log: Log()) }
    try await driver.start()
    _ = await driver.reload()
    _ = await driver.stop()
    let expected: [LifecycleEvent] = [
      .willFinishLaunching, .didFinishLaunching, .willEnterForeground, .didBecomeActive, .prepareReload,
      .willResignActive, .didEnterBackground, .reload, .willEnterForeground, .didBecomeActive, .willResignActive,
      .didEnterBackground, .willTerminate,
    ]
    #expect(names.take() == expected.map(\.notificationName.rawValue))
    center.removeObserver(observer)
  }
}
