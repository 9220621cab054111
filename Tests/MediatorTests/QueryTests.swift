import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("Questions of your own", .timeLimit(.minutes(5)))
struct QueryTests {
  private static let mayUpdate = LifecycleQuery<Bool, Bool>("may update", .all)
  private static let isBusy = LifecycleQuery<Bool, Bool>("is busy", .any)
  private static let title = LifecycleQuery<String?, String?>("title", .lastNonDefault())
  private static let load = LifecycleQuery<Int, Int>("load", .fold(0, +))
  private static let words = LifecycleQuery<String, [String]>(
    "words", .gather(within: .seconds(3), onTimeout: "?") { $0 })

  @Test("D05: all, and any, ask everybody, also when the result is known")
  func noShortCut() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      for (name, answer) in [("a", false), ("b", true)] {
        Self.mayUpdate.answered(by: name) {
          log.add("may.\(name)")
          return answer
        }
        Self.isBusy.answered(by: name) {
          log.add("busy.\(name)")
          return !answer
        }
      }
    }
    try await driver.start()
    #expect(await driver.lifecycle.ask(Self.mayUpdate) == false)
    #expect(await driver.lifecycle.ask(Self.isBusy) == true)
    #expect(log.take() == ["may.a", "may.b", "busy.a", "busy.b"])
    #expect(await driver.stop() == 0)
  }

  @Test("D06: the last non-default answer over [\"a\", nil] is \"a\"")
  func lastNonDefault() async throws {
    let level = LifecycleQuery<Int, Int>("level", .lastNonDefault(0))
    let driver = LifecycleDriver {
      Self.title.answered(by: "a") { "a" }
      Self.title.answered(by: "b") { nil }
      level.answered(by: "a") { 3 }
      level.answered(by: "b") { 5 }
      level.answered(by: "c") { 0 }
    }
    #expect(await driver.lifecycle.ask(Self.title) == "a")
    #expect(await driver.lifecycle.ask(level) == 5)
  }

  @Test("Without anybody who answers, the answer comes at once")
  func nobody() async {
    let driver = LifecycleDriver {}
    #expect(await driver.lifecycle.ask(Self.mayUpdate) == true)
    #expect(await driver.lifecycle.ask(Self.isBusy) == false)
    #expect(await driver.lifecycle.ask(Self.title) == nil)
    #expect(await driver.lifecycle.ask(Self.load) == 0)
    #expect(await driver.lifecycle.ask(Self.words) == [])
  }

  @Test("Fold takes the answers in registration order; who fails is reported and left out")
  func fold() async throws {
    let path = LifecycleQuery<String, String>("path", .fold("") { $0 + "/" + $1 })
    let driver = LifecycleDriver {
      path.answered(by: "a") { "usr" }
      path.answered(by: "b") { throw Trouble("no idea") }
      path.answered(by: "c") { "bin" }
    }
    let reports = driver.lifecycle.reports
    #expect(await driver.lifecycle.ask(path) == "/usr/bin")
    var iterator = reports.makeAsyncIterator()
    guard case .answerFailed("b", "no idea") = await iterator.next() else {
      Issue.record("not reported")
      return
    }
  }

  @Test("D07: a reply that is given twice counts once; one that never comes is the default, at the deadline")
  func gather() async throws {
    let kept = Shared<QueryReply<String>?>(nil)
    let second = Shared<Bool?>(nil)
    let driver = LifecycleDriver {
      Self.words.replied(by: "twice") { reply in
        reply.send("one")
        let again = reply.send("two")
        second.withLock { $0 = again }
      }
      Self.words.replied(by: "never") { reply in kept.withLock { $0 = reply } }
      Self.words.answered(by: "third") { "three" }
    }
    try await driver.start()
    let answers = Shared<[String]?>(nil)
    let asking = Task { [lifecycle = driver.lifecycle] in
      let given = await lifecycle.ask(Self.words)
      answers.withLock { $0 = given }
    }
    await eventually { kept.withLock { $0 != nil } && second.withLock { $0 != nil } }
    // The deadline may be set only now.
    _ = await driver.turn { answers.withLock { $0 != nil } }
    await asking.value
    #expect(answers.withLock(\.self) == ["one", "?", "three"])
    #expect(second.withLock(\.self) == false)
    // Too late is no harm.
    #expect(kept.withLock { $0 }?.send("late") == true)
    #expect(await driver.stop() == 0)
  }

  @Test("D07: a reply that is released without an answer is the default, at once")
  func released() async throws {
    let driver = LifecycleDriver {
      Self.words.replied(by: "dropped") { _ in }
      Self.words.answered(by: "b") { "b" }
    }
    try await driver.start()
    #expect(await driver.lifecycle.ask(Self.words) == ["?", "b"])
    #expect(await driver.stop() == 0)
  }

  @Test("Those who are gathered answer all at once")
  func atOnce() async throws {
    let (log, gate) = (Log(), Gate())
    let driver = LifecycleDriver {
      for name in ["a", "b"] {
        Self.words.answered(by: name) {
          log.add(name)
          await gate.pass()
          return name
        }
      }
    }
    async let answers = driver.lifecycle.ask(Self.words)
    await log.wait(count: 2)
    await gate.open()
    #expect(await answers == ["a", "b"])
  }

  @Test("A question may be asked from inside a callback, and its limit is the entry's")
  func insideCallback() async throws {
    let log = Log()
    let lifecycle = Shared<Lifecycle?>(nil)
    let driver = LifecycleDriver {
      Self.load.answered(by: "a") { 2 }
      Named("asks", log: log) { transition in
        guard transition.event == .didBecomeActive, let lifecycle = lifecycle.withLock(\.self) else { return }
        log.add("load \(await lifecycle.ask(Self.load))")
      }
      Self.load.answered(by: "hangs") {
        await hang()
        return 40
      }.optional(timeout: .seconds(1))
    }
    lifecycle.withLock { $0 = driver.lifecycle }
    driver.run()
    await eventually { log.lines.last == "asks.didBecomeActive" }
    await eventually { driver.clock.sleeperCount > 2 }
    driver.clock.advance(by: .seconds(1))
    try await driver.lifecycle.state(.foreground)
    #expect(log.lines.last == "load 2")
    lifecycle.withLock { $0 = nil }
    #expect(await driver.stop() == 0)
  }
}
