import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("Deferrals of plain observers", .timeLimit(.minutes(5)))
struct DeferralTests {
  private let center = NotificationCenter()

  /// Observes one event with a block, for as long as the result lives.
  private func observe(_ event: LifecycleEvent, _ block: @escaping @Sendable (LifecycleTransition) -> Void) -> Observing
  {
    Observing(center, event, block)
  }

  @Test("The transition waits for a deferral that was taken inside the post")
  func waits() async {
    let kept = Shared<LifecycleDeferral?>(nil)
    let observing = observe(.didBecomeActive) { transition in
      kept.withLock { $0 = transition.takeDeferral("slow") }
    }
    let posted = Transitions(.didBecomeActive)
    posted.post(on: center)
    #expect(!posted.isEnded)
    kept.withLock(\.self)?.complete()
    #expect(await posted.outcome() == TransitionOutcome())
    withExtendedLifetime(observing) {}
  }

  @Test("D19: taken after the post: nil, and one report")
  func tooLate() async throws {
    let hub = ReportHub()
    let posted = Transitions(.didBecomeActive, reports: hub)
    posted.post(on: center)
    #expect(posted.transition.takeDeferral("late") == nil)
    #expect(await faults(hub) == ["late too late"])
  }

  @Test("D19: taken and dropped: completed, and one report")
  func dropped() async {
    let hub = ReportHub()
    let observing = observe(.didBecomeActive) { _ = $0.takeDeferral("lost") }
    let posted = Transitions(.didBecomeActive, reports: hub)
    posted.post(on: center)
    #expect(await posted.outcome() == TransitionOutcome())
    #expect(await faults(hub) == ["lost released"])
    withExtendedLifetime(observing) {}
  }

  @Test("D19: the first of complete and fail counts", arguments: [true, false])
  func twice(completesFirst: Bool) async {
    let observing = observe(.didBecomeActive) { transition in
      let deferral = transition.takeDeferral("twice")
      if completesFirst { deferral?.complete() }
      deferral?.fail(Trouble("no"))
      deferral?.complete()
    }
    let posted = Transitions(.didBecomeActive)
    posted.post(on: center)
    let failures = await posted.outcome()?.failures.map(\.summary)
    #expect(failures == (completesFirst ? [] : ["twice: no"]))
    withExtendedLifetime(observing) {}
  }

  @Test("A failed deferral counts as the failure of an optional listener of that name")
  func failed() async throws {
    let observing = observe(.didFinishLaunching) { $0.takeDeferral("cache")?.fail(Trouble("cold")) }
    let driver = LifecycleDriver(center: center) { Named("a") }
    try await driver.start()
    #expect(driver.notifyMessages.last == "STATUS=degraded: cache: cold\nREADY=1")
    #expect(await driver.stop() == 0)
    withExtendedLifetime(observing) {}
  }

  private func faults(_ hub: ReportHub) async -> [String] {
    hub.finish()
    var faults: [String] = []
    for await report in hub.stream() {
      switch report {
      case .deferralReleased(let name, _): faults.append("\(name) released")
      case .deferralTooLate(let name, _): faults.append("\(name) too late")
      default: break
      }
    }
    return faults
  }
}

/// A plain observation that ends with its value.
final class Observing {
  private let center: NotificationCenter
  private let token: any NSObjectProtocol

  init(
    _ center: NotificationCenter, _ event: LifecycleEvent, _ block: @escaping @Sendable (LifecycleTransition) -> Void
  ) {
    self.center = center
    token = center.addObserver(forName: event.notificationName, object: nil, queue: nil) { notification in
      if let transition = notification.lifecycleTransition { block(transition) }
    }
  }

  deinit { center.removeObserver(token) }
}
