/// A probe of every ability, in a test: each event reaches its own method, and none comes twice.
import Foundation
import Mediator
import MediatorTestKit
import Synchronization
import Testing

/// Writes down what it was told, in which method.
private final class Probe: ReloadListener, RequestListener, SignalListener, StateRestoring, TerminationDeciding,
  MemoryPressureListener, TimeChangeListener, SecretsListener, SceneListener
{
  static let stateVersion = 1
  let signals: Set<SignalNumber> = [SignalNumber(40)]
  private let calls = Mutex<[LifecycleEvent]>([])
  private let misled = Mutex<[LifecycleEvent]>([])

  var told: [LifecycleEvent] { calls.withLock { $0 } }
  /// Events that came to the method of another one.
  var astray: [LifecycleEvent] { misled.withLock { $0 } }

  private func write(_ event: LifecycleEvent, _ transition: LifecycleTransition? = nil) {
    calls.withLock { $0.append(event) }
    if let transition, transition.event != event { misled.withLock { $0.append(transition.event) } }
  }

  func willFinishLaunching(_ transition: LifecycleTransition) { write(.willFinishLaunching, transition) }
  func didFinishLaunching(_ transition: LifecycleTransition) { write(.didFinishLaunching, transition) }
  func willEnterForeground(_ transition: LifecycleTransition) { write(.willEnterForeground, transition) }
  func didBecomeActive(_ transition: LifecycleTransition) { write(.didBecomeActive, transition) }
  func willResignActive(_ transition: LifecycleTransition) { write(.willResignActive, transition) }
  func didEnterBackground(_ transition: LifecycleTransition) { write(.didEnterBackground, transition) }
  func willTerminate(_ transition: LifecycleTransition) { write(.willTerminate, transition) }
  func prepareReload(_ transition: LifecycleTransition) { write(.prepareReload, transition) }
  func reload(_ prepared: Void, _ transition: LifecycleTransition) { write(.reload, transition) }
  func revertReload(_ transition: LifecycleTransition) { write(.revertReload, transition) }
  func restoreState(_ state: String) { write(.restoreState) }
  func didReceiveSignal(_ transition: LifecycleTransition) { write(.didReceiveSignal, transition) }
  func significantTimeChange(_ transition: LifecycleTransition) { write(.significantTimeChange, transition) }
  func secretsDidBecomeAvailable(_ transition: LifecycleTransition) { write(.secretsDidBecomeAvailable, transition) }
  func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) {
    write(.secretsWillBecomeUnavailable, transition)
  }
  func didReceiveMemoryWarning(_ pressure: MemoryPressure, _ transition: LifecycleTransition) {
    write(.didReceiveMemoryWarning, transition)
  }
  func encodeState() -> String? {
    write(.encodeState)
    return "state"
  }
  func terminationDecision(_ transition: LifecycleTransition) -> TerminationDecision {
    write(.shouldTerminate, transition)
    return .now
  }
  func answer(_ request: LifecycleRequest) -> RequestAnswer {
    write(.didReceiveRequest)
    return .declined
  }
  func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) {
    write(event.lifecycleEvent, transition)
  }
}

/// Refuses the second phase, so that the probe is told to go back.
private struct Refusal: ReloadListener {
  func prepareReload(_ transition: LifecycleTransition) {}
  func reload(_ prepared: Void, _ transition: LifecycleTransition) throws { throw CancellationError() }
  func revertReload(_ transition: LifecycleTransition) {}
}

@Suite(.timeLimit(.minutes(1)))
struct EveryEventTests {
  /// A whole life in which everything happens once: it is stopped while it is paused.
  private func life(of probe: Probe) async throws {
    let saved = SavedState(listener: "Probe", version: 1, data: Data(#""state""#.utf8))
    let driver = LifecycleDriver(savedState: [saved]) {
      probe
      Refusal()
    }
    try await driver.start()
    let scene = try await driver.lifecycle.connect(scene: "one", kind: "probe")
    await scene.discard()
    _ = await driver.send(LifecycleRequest("anything"))
    await driver.signal(SignalNumber(40))
    await driver.warn(of: MemoryPressure(level: .some))
    await driver.change(.clockWasSet)
    await driver.secrets(available: true)
    await driver.secrets(available: false)
    try await driver.pause()
    _ = await driver.reload()
    #expect(await driver.stop() == 0)
  }

  @Test("each event there is reaches its own method, exactly once")
  func once() async throws {
    let probe = Probe()
    try await life(of: probe)
    // Refused: the second phase was reached once, and undone once.
    #expect(
      probe.told.sorted { $0.rawValue < $1.rawValue } == LifecycleEvent.allCases.sorted { $0.rawValue < $1.rawValue })
    #expect(probe.astray == [])
  }
}
