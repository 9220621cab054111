import Foundation
import Mediator
import MediatorTestKit
import Testing

@Suite("Groups have a policy of their own", .timeLimit(.minutes(5)))
struct GroupTests {
  @Test("Members of nested groups are told in order, and in reverse on the way back")
  func nested() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log)
      Group("outer") {
        Named("b", log: log)
        Group("inner") {
          Named("c", log: log)
          Named("d", log: log)
        }
      }
      Named("e", log: log)
    }
    try await driver.start()
    #expect(log.lines.filter { $0.hasSuffix("didBecomeActive") }.map(\.first) == ["a", "b", "c", "d", "e"])
    #expect(await driver.stop() == 0)
    #expect(log.lines.filter { $0.hasSuffix("willTerminate") }.map(\.first) == ["e", "d", "c", "b", "a"])
  }

  @Test("An optional group whose required member fails its start is not brought up further, and degrades the service")
  func optionalGroup() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Group("caches") {
        Named("a", log: log)
        Named("b", log: log, failing: [.didFinishLaunching])
        Named("c", log: log)
      }.optional()
      Named("d", log: log)
    }
    try await driver.start()
    #expect(driver.notifyMessages.last == "STATUS=degraded: b: didFinishLaunching went wrong\nREADY=1")
    #expect(await driver.stop() == 0)
    let told = log.take().filter { !$0.hasSuffix("willFinishLaunching") }
    #expect(
      told == [
        "a.didFinishLaunching", "b.didFinishLaunching", "d.didFinishLaunching", "d.willEnterForeground",
        "d.didBecomeActive", "d.willResignActive", "d.didEnterBackground", "d.willTerminate", "b.willTerminate",
        "a.willTerminate",
      ])
  }

  @Test("An optional member of a required group fails alone")
  func optionalMember() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Group("g") {
        Named("a", log: log, failing: [.didFinishLaunching]).optional()
        Named("b", log: log)
      }
    }
    try await driver.start()
    #expect(log.take().contains("b.didBecomeActive"))
    #expect(await driver.stop() == 0)
  }

  @Test("A required member of a required group fails the start")
  func requiredGroup() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Named("a", log: log)
      Group("g") {
        Named("b", log: log, failing: [.didFinishLaunching])
        Named("c", log: log)
      }
    }
    driver.run()
    #expect(await driver.exitStatus() == 69)
    #expect(log.take().suffix(2) == ["b.willTerminate", "a.willTerminate"])
  }

  @Test("A failure in an optional group inside a required one stays in it")
  func contained() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Group("outer") {
        Group("inner") {
          Named("a", log: log, failing: [.didFinishLaunching])
          Named("b", log: log)
        }.optional()
        Named("c", log: log)
      }
    }
    try await driver.start()
    let told = log.take()
    #expect(told.contains("c.didBecomeActive"))
    #expect(!told.contains("b.didFinishLaunching"))
    #expect(await driver.stop() == 0)
  }

  @Test("The time limit of a group counts for all of it: who is left is told, and has but the grace")
  func timeLimit() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Group("g") {
        Named("a", log: log)
        Named("b", log: log) { if $0.event == .willTerminate { await hang() } }
      }.optional(timeout: .seconds(3))
      Named("c", log: log) { if $0.event == .didBecomeActive { try await Task.sleep(for: .milliseconds(1)) } }
    }
    try await driver.start()
    async let status = driver.stop()
    await eventually { log.lines.last == "b.willTerminate" }
    driver.clock.advance(by: .seconds(3))
    await eventually { driver.clock.sleeperCount > 2 }
    driver.clock.advance(by: grace)
    #expect(await status == 0)
    #expect(log.take().suffix(2) == ["b.willTerminate", "a.willTerminate"])
  }

  @Test("A reload that a required member of an optional group refuses goes on without the group")
  func reloadOfGroup() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Group("g") {
        Reloading("a", log: log, failing: [.prepareReload])
        Reloading("b", log: log)
      }.optional()
      Reloading("c", log: log)
    }
    try await driver.start()
    #expect(await driver.reload() == .reloaded(generation: 2, .zero))
    #expect(log.take() == ["a.prepareReload", "c.prepareReload", "c.reload"])
    _ = await driver.stop()
  }

  @Test("A group is added, and taken out, as one")
  func membership() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a", log: log) }
    try await driver.start()
    let token = try await driver.mediator.add(
      Group("g") {
        Named("b", log: log)
        Named("c", log: log)
      })
    #expect(
      log.take().suffix(8) == [
        "b.willFinishLaunching", "c.willFinishLaunching", "b.didFinishLaunching", "c.didFinishLaunching",
        "b.willEnterForeground", "c.willEnterForeground", "b.didBecomeActive", "c.didBecomeActive",
      ])
    await driver.mediator.remove(token)
    #expect(log.take().suffix(2) == ["c.willTerminate", "b.willTerminate"])
    #expect(await driver.stop() == 0)
    #expect(log.take() == ["a.willResignActive", "a.didEnterBackground", "a.willTerminate"])
  }

  @Test("A group whose required member fails is not added; what an optional member fails with degrades")
  func failingNewcomers() async throws {
    let log = Log()
    let driver = LifecycleDriver { Named("a", log: log) }
    try await driver.start()
    let bad = Group("g") {
      Named("b", log: log)
      Named("c", log: log, failing: [.didFinishLaunching])
    }
    await #expect(throws: LifecycleError.self) { try await driver.mediator.add(bad.optional()) }
    #expect(log.take().suffix(2) == ["c.willTerminate", "b.willTerminate"])
    try await driver.mediator.add(
      Group("h") {
        Named("d", log: log, failing: [.didFinishLaunching]).optional()
        Named("e", log: log)
      })
    #expect(log.lines.contains("e.didBecomeActive"))
    await eventually { driver.notifyMessages.last == "STATUS=degraded: d: didFinishLaunching went wrong" }
    #expect(await driver.stop() == 0)
  }
}

@Suite("What is told concurrently", .timeLimit(.minutes(5)))
struct ConcurrentlyTests {
  @Test("D20: five children that block their threads do so at the same time")
  func blockingChildren() async throws {
    let inside = Shared(0)
    let most = Shared(0)
    let driver = LifecycleDriver {
      Concurrently("five") {
        for index in 0..<5 {
          Named("\(index)") { transition in
            guard transition.event == .didFinishLaunching else { return }
            let now = inside.withLock { inside in
              inside += 1
              return inside
            }
            most.withLock { $0 = max($0, now) }
            // Nobody leaves before all have come, or it takes far too long.
            block(atMost: 20) { most.withLock { $0 == 5 } }
            inside.withLock { $0 -= 1 }
          }
        }
      }
    }
    try await driver.start()
    #expect(most.withLock(\.self) == 5)
    #expect(await driver.stop() == 0)
  }

  @Test("The event ends for the group when it has ended for all, and the next is told after it")
  func order() async throws {
    let (log, gate) = (Log(), Gate())
    let driver = LifecycleDriver {
      Named("first", log: log)
      Concurrently {
        Named("a", log: log) { if $0.event == .didFinishLaunching { await gate.pass() } }
        Group {
          Named("b", log: log)
          Named("c", log: log)
        }
      }
      Named("last", log: log)
    }
    driver.run()
    await eventually { log.lines.contains("c.didFinishLaunching") && log.lines.contains("a.didFinishLaunching") }
    #expect(!log.lines.contains("last.didFinishLaunching"))
    #expect(log.lines.firstIndex(of: "b.didFinishLaunching")! < log.lines.firstIndex(of: "c.didFinishLaunching")!)
    await gate.open()
    try await driver.lifecycle.state(.foreground)
    #expect(await driver.stop() == 0)
    let ends = log.lines.filter { $0.hasSuffix("willTerminate") }
    #expect(ends.first == "last.willTerminate" && ends.last == "first.willTerminate" && ends.count == 5)
    #expect(ends.firstIndex(of: "c.willTerminate")! < ends.firstIndex(of: "b.willTerminate")!)
  }

  @Test("Where one fails the start, the others are cancelled, and those that began are undone")
  func failure() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Concurrently {
        Named("a", log: log) { if $0.event == .didFinishLaunching { try await Task.sleep(for: .seconds(600)) } }
        Named("b", log: log, failing: [.didFinishLaunching]) {
          if $0.event == .didFinishLaunching { await eventually { log.lines.contains("a.didFinishLaunching") } }
        }
      }
      Named("c", log: log)
    }
    driver.run()
    #expect(await driver.exitStatus() == 69)
    let told = log.take()
    #expect(Set(told.suffix(2)) == ["a.willTerminate", "b.willTerminate"])
    #expect(!told.contains("c.didFinishLaunching"))
    #expect(driver.notifyMessages.last?.contains("b: didFinishLaunching went wrong") == true)
  }

  @Test("One that never returns is left behind alone, on a thread that nobody else needs")
  func stuck() async throws {
    let log = Log()
    let forever = DispatchSemaphore(value: 0)
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(stop: .seconds(9))) {
      Concurrently {
        Named("a", log: log) { if $0.event == .didEnterBackground { block(on: forever) } }
        Named("b", log: log)
      }
      Named("c", log: log)
    }
    try await driver.start()
    async let status = driver.stop()
    await eventually { log.lines.contains("a.didEnterBackground") && log.lines.contains("b.didEnterBackground") }
    driver.clock.advance(by: .seconds(8))
    await eventually { driver.notifyMessages.isEmpty == false && driver.clock.sleeperCount > 1 }
    driver.clock.advance(by: grace)
    #expect(await status == 75)
    let told = log.take()
    #expect(!told.contains("a.willTerminate") && told.contains("b.willTerminate"))
    #expect(told.last == "b.willTerminate")
    forever.signal()
  }

  @Test("A stop cancels all children of a start, and undoes what began")
  func stopInStart() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Concurrently {
        for name in ["a", "b"] {
          Named(name, log: log) { if $0.event == .didFinishLaunching { try await Task.sleep(for: .seconds(600)) } }
        }
      }
    }
    driver.run()
    await eventually { Set(log.lines).isSuperset(of: ["a.didFinishLaunching", "b.didFinishLaunching"]) }
    #expect(await driver.stop() == 0)
    #expect(Set(log.take().suffix(2)) == ["a.willTerminate", "b.willTerminate"])
  }

  @Test("Nested: a concurrent group in a branch of another keeps all rules")
  func nested() async throws {
    let log = Log()
    let driver = LifecycleDriver {
      Concurrently("outer") {
        Group("branch") {
          Named("a", log: log)
          Concurrently("inner") {
            Named("b", log: log)
            Named("c", log: log, failing: [.didFinishLaunching])
          }.optional()
          Named("d", log: log)
        }
        Named("e", log: log)
      }
    }
    try await driver.start()
    #expect(
      Set(log.lines.filter { $0.hasSuffix("didBecomeActive") }) == Set(["a", "d", "e"].map { "\($0).didBecomeActive" }))
    #expect(await driver.stop() == 0)
    // The failure of c may come before b was told of its start.
    for name in ["a", "b", "c", "d", "e"] where name != "b" || log.lines.contains("b.didFinishLaunching") {
      #expect(log.lines.contains("\(name).willTerminate"))
    }
    #expect(Set(log.lines).count == log.lines.count, "nobody was told anything twice")
  }
}

/// Blocks the thread, as code that knows no concurrency does.
func block(atMost seconds: Double, until condition: () -> Bool) {
  let end = Date().addingTimeInterval(seconds)
  while !condition(), Date() < end { Thread.sleep(forTimeInterval: 0.001) }
}
func block(on semaphore: DispatchSemaphore) { semaphore.wait() }

/// How long a call that was cancelled for its time may take to return.
let grace = Duration.milliseconds(250)
