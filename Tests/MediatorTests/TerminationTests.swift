import Foundation
import Mediator
import MediatorTestKit
import Testing

struct Deciding: TerminationDeciding {
  let name: String
  let log: Log
  let decision: @Sendable () async throws -> TerminationDecision

  init(_ name: String, log: Log, _ decision: @escaping @Sendable () async throws -> TerminationDecision) {
    self.name = name
    self.log = log
    self.decision = decision
  }

  func terminationDecision(_ transition: LifecycleTransition) async throws -> TerminationDecision {
    log.add("\(name).asked")
    return try await decision()
  }
  func willResignActive(_ transition: LifecycleTransition) async throws { log.add("\(name).willResignActive") }
}

@Suite("Who has a say in the stop", .timeLimit(.minutes(5)))
struct TerminationTests {
  @Test("The strictest answer of all counts")
  func strictest() {
    let now = TerminationDecision.now
    let later = TerminationDecision.later(.seconds(1))
    let much = TerminationDecision.later(.seconds(2))
    let no = TerminationDecision.cancel("no")
    let all = [now, later, much, no]
    for (index, weaker) in all.enumerated() {
      for stricter in all[index...] {
        #expect(weaker.stricter(stricter) == stricter)
        #expect(stricter.stricter(weaker) == stricter)
      }
    }
  }

  @Test("A polite request is put off, and can be cancelled; everybody is asked")
  func polite() async throws {
    let log = Log()
    let answer = Shared(TerminationDecision.cancel("a job runs"))
    let driver = LifecycleDriver {
      Deciding("a", log: log) { .later(.seconds(1)) }
      Deciding("b", log: log) { answer.withLock(\.self) }
    }
    try await driver.start()
    #expect(await driver.lifecycle.requestTermination() == .cancel("a job runs"))
    #expect(driver.lifecycle.state == .foreground)
    answer.withLock { $0 = .later(.seconds(5)) }
    #expect(await driver.lifecycle.requestTermination() == .later(.seconds(5)))
    #expect(driver.lifecycle.state == .foreground)
    #expect(log.take() == ["a.asked", "b.asked", "a.asked", "b.asked"])
    driver.clock.advance(by: .seconds(5))
    #expect(await driver.exitStatus() == 0)
    #expect(log.take() == ["b.willResignActive", "a.willResignActive"], "nobody is asked twice")
    #expect(driver.lifecycle.state == .stopped)
  }

  @Test("A stop that was asked for is put off, and cannot be cancelled: STOPPING is told first")
  func delayed() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Deciding("a", log: log) { .later(.seconds(4)) }
      Deciding("b", log: log) { throw Trouble("cannot say") }
    }
    try await driver.start()
    async let status = driver.stop()
    await eventually { log.lines == ["a.asked", "b.asked"] }
    #expect(driver.notifyMessages.last == "STOPPING=1\nSTATUS=stopping")
    await eventually { driver.clock.sleeperCount == 3 }
    driver.clock.advance(by: .seconds(3))
    #expect(!log.lines.contains("a.willResignActive"))
    driver.clock.advance(by: .seconds(1))
    #expect(await status == 70, "who cannot say has failed")
  }

  @Test("Cancel does not keep a stop that was asked for")
  func cancelIsNoVeto() async throws {
    let log = Log()
    let driver = LifecycleDriver { Deciding("a", log: log) { .cancel("never") } }
    try await driver.start()
    #expect(await driver.stop() == 0)
    #expect(log.take() == ["a.asked", "a.willResignActive"])
  }

  @Test("However long a listener wants, the stop begins within three quarters of its time")
  func capped() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(20))) {
      Deciding("a", log: log) { .later(.seconds(3600)) }
    }
    try await driver.start()
    async let status = driver.stop()
    await eventually { log.lines == ["a.asked"] && driver.clock.sleeperCount == 3 }
    driver.clock.advance(by: .seconds(15))
    #expect(await status == 0)
  }

  @Test("The drain delay keeps the service in the foreground after STOPPING; a second signal ends it")
  func drain() async throws {
    for hastens in [false, true] {
      let log = Log()
      let driver = LifecycleDriver(timeouts: LifecycleTimeouts(drainDelay: .seconds(3))) { Named("a", log: log) }
      try await driver.start()
      _ = log.take()
      let signal = LifecycleInput.stop(
        .signal(number: SignalNumber(SIGTERM), senderPID: 1, senderUID: 0, value: nil))
      driver.submit(signal)
      await eventually { driver.clock.sleeperCount == 3 }
      #expect(log.lines.isEmpty)
      if hastens { driver.submit(signal) } else { driver.clock.advance(by: .seconds(3)) }
      #expect(await driver.exitStatus() == 0)
      #expect(log.take() == ["a.willResignActive", "a.didEnterBackground", "a.willTerminate"])
    }
  }

  @Test("A decider that hangs uses up the stop's time, and the others are still told")
  func hangs() async throws {
    let log = Log()
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(9))) {
      Named("n", log: log)
      Deciding("a", log: log) {
        await hang()
        return .now
      }
    }
    try await driver.start()
    _ = log.take()
    async let status = driver.stop()
    await eventually { log.lines == ["a.asked"] }
    driver.clock.advance(by: .seconds(8))
    await eventually { driver.clock.sleeperCount > 1 }
    driver.clock.advance(by: grace)
    #expect(await status == 75)
    #expect(log.take().suffix(3) == ["n.willResignActive", "n.didEnterBackground", "n.willTerminate"])
  }

  @Test("Idle exit: after the last scene, if all agree")
  func afterLastScene() async throws {
    let log = Log()
    let agrees = Shared(false)
    let driver = LifecycleDriver {
      SceneWatcher(name: "w", log: log)
      Deciding("a", log: log) { agrees.withLock(\.self) ? .now : .cancel("not yet") }
    }
    driver.lifecycle.idleExit = .afterLastScene
    try await driver.start()
    let first = try await driver.lifecycle.connect(scene: "1", kind: "k")
    let second = try await driver.lifecycle.connect(scene: "2", kind: "k")
    await first.disconnect()
    #expect(!log.lines.contains("a.asked"))
    await second.disconnect()
    await eventually { log.lines.contains("a.asked") }
    #expect(driver.lifecycle.state == .foreground)
    agrees.withLock { $0 = true }
    try await driver.lifecycle.connect(scene: "3", kind: "k").disconnect()
    #expect(await driver.exitStatus() == 0)
  }

  @Test("Idle exit: after a time without scenes and requests; activity begins it anew")
  func afterTime() async throws {
    let log = Log()
    var timeouts = LifecycleTimeouts()
    // Or there would be the one timer that looks at calls.
    timeouts.call = nil
    let driver = LifecycleDriver(timeouts: timeouts) { Answering(name: "a", log: log) { _ in .taken(Data()) } }
    driver.lifecycle.idleExit = .after(.seconds(60))
    try await driver.start()
    #expect(await eventually { driver.clock.sleeperCount == 1 })
    driver.clock.advance(by: .seconds(59))
    _ = await driver.send(.reopen)
    #expect(await eventually { driver.clock.sleeperCount == 1 })
    driver.clock.advance(by: .seconds(59))
    #expect(driver.lifecycle.state == .foreground)
    driver.clock.advance(by: .seconds(1))
    #expect(await driver.exitStatus() == 0)
  }
}
