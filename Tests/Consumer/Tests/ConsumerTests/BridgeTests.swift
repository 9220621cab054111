/// The bridge in a host program that keeps its signals to itself. A process has one bridge: one test at a time.
import Consumer
import Foundation
import Mediator
import MediatorBridge
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct BridgeTests {
  @Test("the host starts, reloads, pauses and stops it; a second bridge meanwhile is an error; reports tell all")
  func hosted() async throws {
    let calls = Calls()
    let text = Mutex("1")
    let configuration = Configuration { text.withLock { $0 } }
    let bridge = try hostedBridge {
      configuration
      StructListener(calls: calls)
    }
    let lifecycle = bridge.lifecycle
    let reports = lifecycle.reports
    #expect(throws: LifecycleError.self) { try hostedBridge {} }

    async let status = bridge.run()
    try await lifecycle.state(.foreground)
    text.withLock { $0 = "2" }
    guard case .reloaded(generation: 2, _) = await lifecycle.reload() else {
      Issue.record("not reloaded")
      return
    }
    #expect(await configuration.value == 2)
    try await lifecycle.pause()
    #expect(lifecycle.state == .background)
    try await lifecycle.resume()
    lifecycle.requestStop()
    #expect(await status == 0)
    #expect(calls.all == ["StructListener.didFinishLaunching", "StructListener.willTerminate"])

    var events: [LifecycleEvent] = []
    var ended: Int32?
    for await report in reports {
      switch report {
      case .eventBegan(let event, _, _, _): events.append(event)
      case .finished(let exitStatus): ended = exitStatus
      default: break
      }
    }
    #expect(ended == 0)
    #expect(
      events == [
        .willFinishLaunching, .didFinishLaunching, .willEnterForeground, .didBecomeActive,
        .prepareReload, .willResignActive, .didEnterBackground, .reload, .willEnterForeground, .didBecomeActive,
        .willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive,
        .willResignActive, .didEnterBackground, .willTerminate,
      ])
  }

  @Test("a mediator of the user's own hears the same lifecycle; cancelling the task of run is a stop")
  func ownMediator() async throws {
    let calls = Calls()
    let center = NotificationCenter()
    let bridge = try LifecycleBridge(signals: .host, center: center) {}
    let mediator = LifecycleMediator(center: center, object: bridge.lifecycle) { ActorListener(calls: calls) }
    let running = Task { await bridge.run() }
    try await bridge.lifecycle.state(.foreground)
    running.cancel()
    #expect(await running.value == 0)
    withExtendedLifetime(mediator) {}
    #expect(calls.all == ["ActorListener.didFinishLaunching", "ActorListener.willTerminate"])
  }
}
