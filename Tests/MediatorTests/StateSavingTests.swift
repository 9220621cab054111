import Foundation
import MediatorTestKit
import Testing

@testable import Mediator

/// Runs what a task is to do only when it is told to.
private final class HeldExecutor: TaskExecutor {
  private let jobs = Shared<[UnownedJob]>([])

  var count: Int { jobs.withLock(\.count) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  func run() {
    let due = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in due { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

@Suite("When state is saved, and what becomes of it", .timeLimit(.minutes(5)))
struct StateSavingTests {
  private struct Keeps: StateRestoring {
    static let stateVersion = 1
    let name: String
    let value: Shared<String?>
    let throwing = Shared(false)
    let mayGoOn = Shared(true)
    func encodeState() async throws -> String? {
      await eventually { mayGoOn.withLock(\.self) }
      if throwing.withLock(\.self) { throw Trouble("cannot") }
      return value.withLock(\.self)
    }
    func restoreState(_ state: String) async throws { value.withLock { $0 = state } }
  }

  private struct Reloads: ReloadListener {
    let refuses = Shared(false)
    func prepareReload(_ transition: LifecycleTransition) async throws {
      if refuses.withLock(\.self) { throw Trouble("no") }
    }
    func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws {}
    func revertReload(_ transition: LifecycleTransition) async throws {}
  }

  private func saved(_ driver: LifecycleDriver) -> [String] {
    driver.savedState.map { "\($0.listener)=\(String(decoding: $0.data, as: UTF8.self))" }
  }

  private func reports(_ driver: LifecycleDriver) async -> [String] {
    var lines: [String] = []
    for await report in driver.lifecycle.reports {
      switch report {
      case .stateIgnored(let listener, let reason): lines.append("\(listener): \(reason)")
      case .listenerFailed(let failure): lines.append("\(failure.listener) failed: \(failure.message)")
      default: break
      }
    }
    return lines
  }

  @Test("after a reload that succeeded, and not after one that was refused")
  func reload() async throws {
    let (keeps, reloads) = (Keeps(name: "a", value: Shared("1")), Reloads())
    let driver = LifecycleDriver {
      keeps
      reloads
    }
    try await driver.start()
    reloads.refuses.withLock { $0 = true }
    _ = await driver.reload()
    await driver.settle()
    #expect(saved(driver) == [])
    reloads.refuses.withLock { $0 = false }
    _ = await driver.reload()
    await eventually { saved(driver) == [#"a="1""#] }
    #expect(saved(driver) == [#"a="1""#])
    // A crash: the next one gets what was saved last.
    keeps.value.withLock { $0 = "2" }
    let next = Keeps(name: "a", value: Shared(nil))
    let other = LifecycleDriver(savedState: driver.savedState) { next }
    try await other.start()
    #expect(next.value.withLock(\.self) == "1")
    #expect(await other.stop() == 0)
    #expect(await driver.stop() == 0)
    #expect(saved(driver) == [#"a="2""#])
  }

  @Test("a save whose task has its turn only after the stop overwrites nothing of the stop's")
  func lateTask() async throws {
    let keeps = Keeps(name: "a", value: Shared("1"))
    let driver = LifecycleDriver { keeps }
    try await driver.start()
    let executor = HeldExecutor()
    let save = Task(executorPreference: executor) { try await driver.lifecycle.saveState().map(\.data) }
    keeps.mayGoOn.withLock { $0 = false }
    await eventually { executor.count == 1 }
    executor.run()
    keeps.mayGoOn.withLock { $0 = true }
    // The state is handed over, and the task is still to go on.
    await eventually { executor.count == 1 }
    #expect(executor.count == 1)
    #expect(saved(driver) == [#"a="1""#])
    keeps.value.withLock { $0 = "2" }
    #expect(await driver.stop() == 0)
    executor.run()
    #expect(try await save.value == [Data(#""1""#.utf8)])
    #expect(saved(driver) == [#"a="2""#])
  }

  @Test("of two that are kept in the wrong order the one that was asked for last counts, for each listener")
  func order() {
    let lifecycle = Lifecycle()
    func keep(_ serial: UInt64, _ states: [String: String?]) {
      let transition = LifecycleTransition(
        event: .encodeState, reason: .reload, origin: .embedder, serial: serial)
      for (name, value) in states {
        if let value {
          transition.save(SavedState(listener: name, version: 1, data: Data(value.utf8)))
        } else {
          transition.saveNothing(of: name)
        }
      }
      lifecycle.keepState(of: transition) { _ in }
    }
    keep(3, ["a": "new", "b": nil])
    keep(2, ["a": "old", "b": "old", "c": "only"])
    #expect(lifecycle.savedStates.map { String(decoding: $0.data, as: UTF8.self) } == ["new", "only"])
    keep(4, ["a": nil, "b": "newer"])
    #expect(lifecycle.savedStates.map { String(decoding: $0.data, as: UTF8.self) } == ["newer", "only"])
  }

  @Test("in a stop between didEnterBackground and willTerminate, and not twice")
  func stop() async throws {
    let driver = LifecycleDriver { Keeps(name: "a", value: Shared("1")) }
    try await driver.start()
    #expect(await driver.stop() == 0)
    #expect(
      driver.events.suffix(3).map(\.event) == [.didEnterBackground, .encodeState, .willTerminate])
    await #expect(throws: LifecycleError.self) { try await driver.saveState() }
  }

  @Test("one that throws is reported once, and what it handed over before stays; the others are saved")
  func throwing() async throws {
    let (good, bad) = (Keeps(name: "good", value: Shared("1")), Keeps(name: "bad", value: Shared("x")))
    let driver = LifecycleDriver {
      good
      bad
    }
    try await driver.start()
    #expect(try await driver.saveState().count == 2)
    bad.throwing.withLock { $0 = true }
    good.value.withLock { $0 = "2" }
    #expect(try await driver.saveState().map(\.listener) == ["good"])
    #expect(saved(driver) == [#"bad="x""#, #"good="2""#])
    #expect(driver.lifecycle.state == .foreground)
    bad.throwing.withLock { $0 = false }
    bad.value.withLock { $0 = nil }
    _ = try await driver.saveState()
    #expect(saved(driver) == [#"good="2""#], "nil is nothing for the next run")
    #expect(await driver.stop() == 0)
    #expect(await reports(driver) == ["bad failed: cannot"])
  }

  @Test("state of a listener that is not there is reported once and kept no longer")
  func unclaimed() async throws {
    struct Plain: LifecycleListener { let name = "plain" }
    let states = ["a", "gone", "plain"].map { SavedState(listener: $0, version: 1, data: Data(#""1""#.utf8)) }
    let driver = LifecycleDriver(savedState: states) {
      Keeps(name: "a", value: Shared(nil))
      Plain()
    }
    try await driver.start()
    #expect(saved(driver) == [#"a="1""#, #"plain="1""#])
    #expect(await driver.stop() == 0)
    #expect(
      await reports(driver) == [
        "gone: there is no such listener", "plain: it was not offered: the listener does not restore",
      ])
  }
}
