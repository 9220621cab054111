import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@testable import MediatorBridge

@Suite("Waiting for what a service needs", .timeLimit(.minutes(5)))
struct WaitForTests {
  private let clock = ManualClock()
  private let looks = Shared(0)
  private let pauses = Shared<[Duration]>([])

  private func start(_ listener: WaitFor) async -> LifecycleError? {
    do {
      try await listener.didFinishLaunching(
        LifecycleTransition(event: .didFinishLaunching, reason: .start, origin: .embedder))
      return nil
    } catch {
      return error as? LifecycleError
    }
  }

  private func counting(
    within: Duration = .seconds(10), time: WaitTime? = nil, _ condition: @escaping @Sendable (Int) async throws -> Bool
  ) -> WaitFor {
    WaitFor("it", within: within, time: time ?? WaitTime(clock)) { [looks] in
      let number = looks.withLock { looks in
        looks += 1
        return looks
      }
      return try await condition(number)
    }
  }

  /// Each pause is noted and turns the clock by itself.
  private var quickTime: WaitTime {
    var time = WaitTime(clock)
    time.pause = { [clock, pauses] pause in
      pauses.withLock { $0.append(pause) }
      clock.advance(by: pause)
    }
    return time
  }

  // MARK: Pauses

  @Test(
    "Pauses grow from 20 to 500 ms, and the last one ends with the time",
    arguments: [
      (left: [9000, 9000, 9000, 9000, 9000, 9000, 9000], pauses: [20, 40, 80, 160, 320, 500, 500]),
      ([100, 30, 0], [20, 30, nil]), ([5, 0], [5, nil]), ([0], [nil]), ([-3], [nil]),
    ] as [(left: [Int], pauses: [Int?])])
  func intervals(row: (left: [Int], pauses: [Int?])) {
    var interval = ProbeInterval()
    var pauses: [Duration?] = []
    for left in row.left { pauses.append(interval.next(left: .milliseconds(left))) }
    #expect(pauses == row.pauses.map { $0.map { .milliseconds($0) } })
  }

  // MARK: Conditions

  @Test("A condition that holds at once is looked at once, and no time passes")
  func atOnce() async {
    #expect(await start(counting { _ in true }) == nil)
    #expect(looks.withLock(\.self) == 1)
  }

  @Test("It is looked at again after each pause until it holds; an error means not yet")
  func again() async {
    let listener = counting(time: quickTime) { number in
      if number == 2 { throw POSIXError(.EPERM) }
      return number == 4
    }
    #expect(await start(listener) == nil)
    #expect(pauses.withLock(\.self) == [.milliseconds(20), .milliseconds(40), .milliseconds(80)])
    #expect(looks.withLock(\.self) == 4)
  }

  @Test("When the time is over the error says what was waited for and the last reason")
  func over() async throws {
    let listener = counting(within: .milliseconds(30), time: quickTime) { throw WaitReason("reason \($0)") }
    let error = try #require(await start(listener))
    #expect(pauses.withLock(\.self) == [.milliseconds(20), .milliseconds(10)])
    #expect(error.code == .listenerFailed)
    #expect(error.errno == ETIMEDOUT)
    #expect(error.listener == "it")
    #expect(error.message == "not there after 0.03 seconds: reason 3")
  }

  @Test("A condition that never answers is left behind when the time is over")
  func stuck() async throws {
    let (gate, open) = AsyncStream<Void>.makeStream()
    let listener = counting { _ in
      await Task.detached { for await _ in gate {} }.value
      return true
    }
    let ended = Shared<LifecycleError?>(nil)
    let waiting = Task {
      let error = await start(listener)
      ended.withLock { $0 = error }
    }
    await eventually { looks.withLock(\.self) == 1 && clock.sleeperCount == 1 }
    await clock.advance(by: .seconds(60), step: .seconds(10)) { ended.withLock { $0 != nil } }
    await waiting.value
    #expect(ended.withLock(\.self)?.message == "not there after 10.0 seconds: no answer")
    open.finish()
  }

  @Test("Cancellation ends it at once: in a look that heeds nothing, in a pause, and before the first look")
  func cancelled() async throws {
    let (gate, open) = AsyncStream<Void>.makeStream()
    let inLook = counting { _ in
      await Task.detached { for await _ in gate {} }.value
      return true
    }
    let first = Task { await start(inLook) }
    await eventually { looks.withLock(\.self) == 1 }
    first.cancel()
    #expect(await first.value?.code == .cancelled)
    open.finish()

    let second = Task { await start(counting { _ in false }) }
    await eventually { looks.withLock(\.self) == 2 && clock.sleeperCount == 1 }
    second.cancel()
    #expect(await second.value?.code == .cancelled)

    let third = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await start(counting { _ in true })
    }
    #expect(await third.value?.code == .cancelled)
    #expect(looks.withLock(\.self) == 2)
  }

  @Test("STATUS says why it waits")
  func progress() async throws {
    let said = Shared<[String]>([])
    let listener = counting(time: quickTime) { number in
      if number < 3 { throw WaitReason("locked") }
      return true
    }
    try await listener.wait { text in said.withLock { $0.append(text) } }
    #expect(said.withLock(\.self) == ["waiting", "waiting: locked"])
  }

  @Test("In a lifecycle: what is behind it starts when it has returned")
  func lifecycle() async throws {
    let isThere = Shared(false)
    let driver = LifecycleDriver {
      WaitFor("it", within: .seconds(300)) { isThere.withLock(\.self) }
      WaitFor("other", within: .seconds(300)) { true }
    }
    driver.run()
    await eventually { driver.events.contains(RecordedEvent("it", .didFinishLaunching, .start)) }
    #expect(!driver.events.contains(RecordedEvent("other", .didFinishLaunching, .start)))
    isThere.withLock { $0 = true }
    try await driver.lifecycle.state(.foreground)
    #expect(driver.events.contains(RecordedEvent("other", .didFinishLaunching, .start)))
    #expect(await driver.stop() == 0)
  }

  // MARK: Files

  @Test("A file is waited for until it is there")
  func file() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "wait-for-\(UUID().uuidString)").path
    defer { unlink(path) }
    let error = await start(.file(path, within: .milliseconds(10)))
    #expect(error?.listener == "file \(path)")
    #expect(error?.message == "not there after 0.01 seconds: No such file or directory")
    async let ending = start(.file(path, within: .seconds(30)))
    fclose(fopen(path, "we"))
    #expect(await ending == nil)
  }
}
