import Foundation
import Mediator
import MediatorTestKit
import Testing

struct SceneWatcher: SceneListener {
  let name: String
  let log: Log
  var kinds: Set<String> = []
  var failing: Set<LifecycleScene.Event> = []

  func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) async throws {
    log.add("\(name): \(scene.id).\(event.rawValue)", transition)
    if failing.contains(event) { throw Trouble("\(event.rawValue) went wrong") }
  }
}

@Suite("Scenes", .timeLimit(.minutes(5)))
struct SceneTests {
  @Test("A scene connects, pauses and resumes by itself, goes, and is discarded")
  func whole() async throws {
    let log = Log()
    let driver = LifecycleDriver { SceneWatcher(name: "w", log: log) }
    try await driver.start()
    let scene = try await driver.lifecycle.connect(scene: "s", kind: "tenant")
    #expect(scene.state == .foreground && driver.lifecycle.scenes.map(\.id) == ["s"])
    await scene.enterBackground()
    #expect(scene.state == .background)
    await scene.enterForeground()
    await scene.disconnect()
    #expect(scene.state == .disconnected && driver.lifecycle.scenes.isEmpty)
    await scene.discard()
    #expect(scene.state == .discarded)
    let expected: [LifecycleScene.Event] = [
      .willConnect, .willEnterForeground, .didBecomeActive, .willResignActive, .didEnterBackground,
      .willEnterForeground, .didBecomeActive, .willResignActive, .didEnterBackground, .didDisconnect, .didDiscard,
    ]
    #expect(log.take() == expected.map { "w: s.\($0.rawValue)" })
    #expect(await driver.stop() == 0)
  }

  @Test("Each scene of a kind gets a listener of its own; the whole process hears of all, once, with the serial number")
  func factory() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      SceneWatcher(name: "process", log: log)
      ListenerEntry.scenes("tenant") { scene in SceneWatcher(name: "of \(scene.id)", log: log) }
      ListenerEntry.scenes("socket") { scene in SceneWatcher(name: "socket", log: log) }
    }
    try await driver.start()
    try await driver.lifecycle.connect(scene: "a", kind: "tenant")
    let first = log.newest?.serial ?? 0
    try await driver.lifecycle.connect(scene: "b", kind: "tenant")
    #expect(log.newest?.serial == first + 3)
    #expect(log.newest?.scene?.id == "b")
    let told = log.take()
    #expect(told.prefix(2) == ["process: a.willConnect", "of a: a.willConnect"])
    #expect(told.filter { $0.hasPrefix("process") }.count == 6)
    #expect(told.filter { $0.hasPrefix("of a: ") }.count == 3 && told.filter { $0.hasPrefix("of b: ") }.count == 3)
    #expect(!told.contains { $0.hasPrefix("of a: b") || $0.hasPrefix("socket") })
    #expect(await driver.stop() == 0)
  }

  @Test("The lifecycle's background reaches every scene before anybody else, and a reload none")
  func background() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("n", log: log)
      Reloading("r", log: log)
      SceneWatcher(name: "w", log: log)
    }
    try await driver.start()
    let a = try await driver.lifecycle.connect(scene: "a", kind: "k")
    try await driver.lifecycle.connect(scene: "b", kind: "k")
    _ = log.take()
    _ = await driver.reload()
    #expect(!log.take().contains { $0.hasPrefix("w: ") })
    try await driver.pause()
    #expect(a.state == .background)
    let paused = log.take()
    #expect(paused.suffix(2) == ["n.willResignActive", "n.didEnterBackground"])
    #expect(
      Set(paused.dropLast(2))
        == ["w: a.willResignActive", "w: a.didEnterBackground", "w: b.willResignActive", "w: b.didEnterBackground"])
    // A scene that comes meanwhile stays where the lifecycle is.
    let c = try await driver.lifecycle.connect(scene: "c", kind: "k")
    #expect(c.state == .background)
    try await driver.resume()
    await eventually { [a, c].allSatisfy { $0.state == .foreground } }
    _ = log.take()
    #expect(await driver.stop() == 0)
    let stopped = log.take()
    #expect(stopped.last == "n.willTerminate")
    #expect(stopped.filter { $0.hasSuffix("didDisconnect") }.count == 3)
    #expect(
      stopped.firstIndex(of: "n.willResignActive")! > stopped.lastIndex { $0.hasSuffix("w: a.didEnterBackground") }!)
    #expect(a.state == .disconnected)
  }

  @Test("A scene that nobody listens to, that is there already, or that is refused, is an error that says so")
  func refusals() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      SceneWatcher(name: "w", log: log, kinds: ["good", "bad"])
      ListenerEntry.scenes("bad") { _ in throw Trouble("no room") }
    }
    let early = await #expect(throws: LifecycleError.self) {
      try await driver.lifecycle.connect(scene: "s", kind: "good")
    }
    #expect(early?.code == .stateUnreachable)
    try await driver.start()
    let unknown = await #expect(throws: LifecycleError.self) {
      try await driver.lifecycle.connect(scene: "s", kind: "other")
    }
    #expect(unknown?.message == "nobody listens to scenes of the kind 'other'")
    let refused = await #expect(throws: LifecycleError.self) {
      try await driver.lifecycle.connect(scene: "s", kind: "bad")
    }
    #expect(refused?.message == "no room" && refused?.code == .scene)
    #expect(log.take() == ["w: s.willConnect", "w: s.didDisconnect"])
    try await driver.lifecycle.connect(scene: "s", kind: "good")
    let taken = await #expect(throws: LifecycleError.self) {
      try await driver.lifecycle.connect(scene: "s", kind: "good")
    }
    #expect(taken?.message == "a scene 's' is connected already")
    #expect(await driver.stop() == 0)
    let late = await #expect(throws: LifecycleError.self) {
      try await driver.lifecycle.connect(scene: "t", kind: "good")
    }
    #expect(late?.code == .stateUnreachable)
  }

  @Test("A thousand scenes at once come and go, each told everything in its own order")
  func many() async throws {
    let log = Log()
    let driver = LifecycleDriver { SceneWatcher(name: "w", log: log) }
    try await driver.start()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<1000 {
        group.addTask { _ = try? await driver.lifecycle.connect(scene: "\(index)", kind: "k") }
      }
    }
    #expect(driver.lifecycle.scenes.count == 1000)
    #expect(await driver.stop() == 0)
    let told = Dictionary(grouping: log.take()) { $0.prefix { $0 != "." } }
    #expect(told.count == 1000)
    let whole = [
      "willConnect", "willEnterForeground", "didBecomeActive", "willResignActive", "didEnterBackground",
      "didDisconnect",
    ]
    #expect(told.values.allSatisfy { $0.map { String($0.drop { $0 != "." }.dropFirst()) } == whole })
  }

  @Test("A plain observer of NotificationCenter gets a scene's notifications with the scene as their object")
  func observers() async throws {
    let driver = LifecycleDriver { SceneWatcher(name: "w", log: Log()) }
    let seen = Log()
    let observer = driver.center.addObserver(
      forName: LifecycleScene.willConnectNotification, object: nil, queue: nil
    ) { notification in seen.add((notification.object as? LifecycleScene)?.id ?? "none") }
    try await driver.start()
    try await driver.lifecycle.connect(scene: "s", kind: "k")
    #expect(seen.take() == ["s"])
    driver.center.removeObserver(observer)
    #expect(await driver.stop() == 0)
  }

  @Test("The state machine of a scene never repeats itself, over every sequence of inputs")
  func closure() {
    struct Situation: Hashable {
      var machine: SceneStateMachine
      var isOut = false
      var isGone = false
    }
    let failure = ListenerFailure(listener: "a", event: .sceneWillConnect, isRequired: true, message: "no")
    var seen: Set<Situation> = []
    var open = [true, false].map { Situation(machine: SceneStateMachine(lifecycleServes: $0)) }
    var transitions = 0
    while let situation = open.popLast() {
      var inputs: [SceneStateMachine.Input] = [.connect, .disconnect, .discard]
      inputs += [true, false].flatMap { [.wantForeground($0), .lifecycleServes($0)] }
      for event in LifecycleScene.Event.allCases {
        inputs += [.ended(event, failure: nil), .ended(event, failure: failure)]
      }
      for input in inputs {
        var next = situation
        transitions += 1
        let event = next.machine.handle(input)
        switch event {
        case .willConnect: #expect(!situation.isOut && !situation.isGone)
        case .didBecomeActive:
          #expect(!situation.isOut)
          next.isOut = true
        case .didEnterBackground: next.isOut = false
        case .willResignActive: #expect(situation.isOut)
        case .didDisconnect:
          #expect(!situation.isOut && !situation.isGone)
          next.isGone = true
        case .didDiscard: #expect(situation.isGone)
        case .willEnterForeground: #expect(!situation.isOut && !situation.isGone)
        case nil: break
        }
        if seen.insert(next).inserted { open.append(next) }
      }
    }
    print("scene closure: \(seen.count) states, \(transitions) transitions")
    #expect(seen.count > 40)
  }
}
