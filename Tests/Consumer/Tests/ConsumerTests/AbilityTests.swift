/// Listeners of every ability, of each kind of type, are called: with public API alone, and in their own isolation.
import Consumer
import ConsumerOfMainActor
import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AbilityTests {
  enum Kind: String, CaseIterable {
    case aStruct = "EverythingStruct"
    case aClass = "EverythingClass"
    case anActor = "EverythingActor"
    case onMainActor = "EverythingOnMainActor"
    case byDefault = "EverythingByDefault"

    func make(_ calls: Calls) async -> any Everything {
      switch self {
      case .aStruct: EverythingStruct(calls: calls)
      case .aClass: EverythingClass(calls: calls)
      case .anActor: EverythingActor(calls: calls)
      case .onMainActor: await EverythingOnMainActor(calls: calls)
      case .byDefault: await EverythingByDefault(calls: calls)
      }
    }
  }

  private struct Refused: Error {}

  /// What is told one after the other; `run`, `status` and `checkHealth` come beside it.
  private static let inOrder = [
    "restore state", "didFinishLaunching", "didBecomeActive",
    "prepareReload", "reload 7", "didBecomeActive", "encodeState",
    "prepareReload", "reload 7", "revertReload", "didBecomeActive",
    "didReceiveSignal", "didReceiveMemoryWarning full", "significantTimeChange timeZoneChanged",
    "secretsDidBecomeAvailable", "secretsWillBecomeUnavailable", "answer NAME", "answer reopen",
    "one willConnect", "one willEnterForeground", "one didBecomeActive",
    "one willResignActive", "one didEnterBackground", "one didDisconnect",
    "encodeState", "shouldTerminate", "encodeState", "willTerminate",
  ]

  @Test("D17: every ability is called, in the isolation of its listener", arguments: Kind.allCases)
  func everything(kind: Kind) async throws {
    let calls = Calls()
    let listener = await kind.make(calls)
    let saved = SavedState(listener: kind.rawValue, version: 1, data: Data(#""state""#.utf8))
    let driver = LifecycleDriver(savedState: [saved]) {
      ListenerEntry(listener)
      ScriptedReloadListener("neighbour")
    }
    #expect(driver.lifecycle.capabilities == Set(LifecycleCapability.allCases).subtracting([.synchronous]))
    try await driver.start()
    let isUp = await eventually {
      calls.all.contains("\(kind.rawValue).run")
        && driver.notifyMessages.last?.contains("STATUS=\(kind.rawValue) works") == true
    }
    #expect(isUp)

    try await reloadAndHear(driver)
    try await answerAndServe(driver, kind)
    let before = calls.all.count { $0 == "\(kind.rawValue).checkHealth" }
    #expect(await driver.lifecycle.checkHealth().isEmpty)
    #expect(calls.all.count { $0 == "\(kind.rawValue).checkHealth" } > before)
    #expect(try await driver.saveState() == [saved])
    #expect(await driver.lifecycle.requestTermination() == .now)
    #expect(await driver.exitStatus() == 0)
    #expect(driver.savedState == [saved])

    let told: [String] = calls.all.map { String($0.dropFirst(kind.rawValue.count + 1)) }
    let expected: [String] = Self.inOrder.map { $0.replacing("NAME", with: kind.rawValue) }
    #expect(told.filter { !["run", "status", "checkHealth"].contains($0) } == expected)
    #expect(calls.all.count { $0 == "\(kind.rawValue).run" } == 1)
  }

  private func reloadAndHear(_ driver: LifecycleDriver) async throws {
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    let token = try await driver.mediator.add(
      ListenerEntry(ScriptedReloadListener("refusing", [.reload: .fail(Refused())])))
    guard case .failed = await driver.reload() else {
      Issue.record("not refused")
      return
    }
    await driver.mediator.remove(token)

    await driver.signal(Shared.signal)
    await driver.signal(SignalNumber(41))
    await driver.warn(of: MemoryPressure(level: .full))
    await driver.change(.timeZoneChanged)
    await driver.secrets(available: true)
    await driver.secrets(available: false)
  }

  private func answerAndServe(_ driver: LifecycleDriver, _ kind: Kind) async throws {
    let payload = Data("payload".utf8)
    #expect(
      await driver.send(LifecycleRequest(kind.rawValue, payload: payload)) == .handled(by: kind.rawValue, payload))
    #expect(await driver.send(.reopen) == .unclaimed)

    let scene = try await driver.lifecycle.connect(scene: "one", kind: Shared.kind)
    #expect(scene.state == .foreground)
    await #expect(throws: LifecycleError.self) {
      try await driver.lifecycle.connect(scene: "two", kind: "another kind")
    }
    await scene.disconnect()
    #expect(scene.state == .disconnected)
  }

  @Test("D17: synchronous listeners of each kind are told of all seven events, and of their abilities")
  func synchronous() async throws {
    let calls = Calls()
    let ofMainActor = await SynchronousOnMainActor(calls: calls)
    let driver = LifecycleDriver {
      SynchronousStruct(calls: calls)
      SynchronousClass(calls: calls)
      SynchronousActor(calls: calls)
      ofMainActor
      StructByDefault(calls: calls)
    }
    try await driver.start()
    await driver.warn(of: MemoryPressure(level: .some))
    #expect(await driver.stop() == 0)

    let names = [
      "SynchronousStruct", "SynchronousClass", "SynchronousActor", "SynchronousOnMainActor", "StructByDefault",
    ]
    func told(_ events: [String], _ names: [String]) -> [String] {
      events.flatMap { event in names.map { "\($0).\(event)" } }
    }
    var expected = told(["willFinishLaunching", "didFinishLaunching", "willEnterForeground", "didBecomeActive"], names)
    expected.append("SynchronousClass.didReceiveMemoryWarning")
    expected += told(["willResignActive", "didEnterBackground", "willTerminate"], names.reversed())
    #expect(calls.all == expected)
  }

  @Test("D17: a struct and an actor of a module whose default isolation is the main actor are called, too")
  func outsideTheDefault() async throws {
    let calls = Calls()
    let driver = LifecycleDriver {
      StructByDefault(calls: calls)
      ActorByDefault(calls: calls)
    }
    try await driver.start()
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    await driver.warn(of: MemoryPressure(level: .some))
    #expect(await driver.stop() == 0)
    #expect(calls.all.filter { $0.hasSuffix("Reload") } == ["StructByDefault.prepareReload"])
    #expect(calls.all.contains("StructByDefault.reload"))
    #expect(calls.all.contains("ActorByDefault.didReceiveMemoryWarning"))
  }
}
