import Foundation
import MediatorTestKit
import Testing

@testable import Mediator

@Suite("Plans of commands at start", .timeLimit(.minutes(5)))
struct StartupPlanTests {
  private let log = Log()
  private let clock = ManualClock()

  private func plan(_ name: String = "warm up") -> StartupPlan {
    StartupPlan(name) { [clock] in try await clock.sleep(for: $0) }
  }

  private func start(_ plan: StartupPlan, reports: ReportHub? = nil) async -> LifecycleError? {
    let transition = LifecycleTransition(
      event: .didFinishLaunching, reason: .start, origin: .embedder, serial: 1, reports: reports)
    do {
      try await plan.didFinishLaunching(transition)
      return nil
    } catch {
      return error as? LifecycleError
    }
  }

  private func stop(_ plan: StartupPlan) async throws {
    try await plan.willTerminate(LifecycleTransition(event: .willTerminate, reason: .stop, origin: .embedder))
  }

  /// A step that says what happens to it.
  private func adding(_ step: String, to plan: StartupPlan, required: Bool = true, fails: Bool = false) -> StartupPlan {
    // swift-format-ignore: OnlyOneTrailingClosureArgument
    plan.step(step, required: required, undo: { log.add("undo \(step)") }) { _ in
      log.add(step)
      if fails { throw POSIXError(.EACCES) }
    }
  }

  /// Never returns until it is let go, whatever is cancelled.
  private func stubborn(_ gate: AsyncStream<Void>) -> @Sendable (LifecycleContext) async throws -> Void {
    { _ in
      log.add("stubborn")
      await Task.detached { for await _ in gate {} }.value
    }
  }

  @Test("Steps run in order, and are undone in reverse at the end, once")
  func order() async throws {
    let plan = adding("c", to: adding("b", to: adding("a", to: plan())))
    #expect(await start(plan) == nil)
    #expect(log.take() == ["a", "b", "c"])
    try await stop(plan)
    try await stop(plan)
    #expect(log.take() == ["undo c", "undo b", "undo a"])
  }

  @Test("step returns a new plan and leaves the old one as it was")
  func values() async throws {
    let one = adding("a", to: plan())
    let two = adding("b", to: one)
    #expect(await start(one) == nil)
    #expect(log.take() == ["a"])
    try await stop(two)
    #expect(log.take() == [])
  }

  @Test("A required step that fails undoes what was done, in reverse, and names itself")
  func requiredFails() async throws {
    let plan = adding("d", to: adding("c", to: adding("b", to: adding("a", to: plan())), fails: true))
    let error = try #require(await start(plan))
    #expect(error.code == .listenerFailed)
    #expect(error.listener == "warm up.c")
    #expect(error.errno == EACCES)
    #expect(log.take() == ["a", "b", "c", "undo b", "undo a"])
    try await stop(plan)
    #expect(log.take() == [])
  }

  @Test("An optional step that fails is reported, and the plan goes on")
  func optionalFails() async throws {
    let hub = ReportHub()
    let plan = adding("c", to: adding("b", to: adding("a", to: plan()), required: false, fails: true))
    #expect(await start(plan, reports: hub) == nil)
    try await stop(plan)
    #expect(log.take() == ["a", "b", "c", "undo c", "undo a"])
    let failures = await failures(in: hub)
    #expect(failures.map(\.listener) == ["warm up.b"])
    #expect(failures.map(\.isRequired) == [false])
    #expect(failures.map(\.errno) == [EACCES])
  }

  private func failures(in hub: ReportHub) async -> [ListenerFailure] {
    hub.finish()
    var failures: [ListenerFailure] = []
    for await case .listenerFailed(let failure) in hub.stream() { failures.append(failure) }
    return failures
  }

  @Test("A step that ends when its time is over has timed out; nothing waits for the clock in vain afterwards")
  func timeout() async throws {
    // swift-format-ignore: OnlyOneTrailingClosureArgument
    let plan = adding("a", to: plan()).step("slow", timeout: .seconds(5), undo: { log.add("undo slow") }) { _ in
      log.add("slow")
      try await Task.sleep(for: .seconds(600))
    }
    async let ending = start(plan)
    await eventually { clock.sleeperCount == 1 }
    clock.advance(by: .seconds(5))
    let error = try #require(await ending)
    #expect(error.listener == "warm up.slow")
    #expect(error.message == "timed out after 5.0 seconds")
    #expect(error.errno == ETIMEDOUT)
    #expect(log.take() == ["a", "slow", "undo a"])
    await eventually { clock.sleeperCount == 0 }
    #expect(clock.sleeperCount == 0)
  }

  @Test("A step that heeds nothing is left behind; what it does all the same, later, is undone then")
  func leftBehind() async throws {
    let hub = ReportHub()
    let (gate, open) = AsyncStream<Void>.makeStream()
    let plan = adding("a", to: plan())
      .step("stuck", timeout: .seconds(5), required: false, undo: { log.add("undo stuck") }, stubborn(gate))
    let whole = adding("b", to: plan)
    async let ending = start(whole, reports: hub)
    await eventually { clock.sleeperCount == 1 && log.lines.count == 2 }
    clock.advance(by: .seconds(5))
    await eventually { clock.sleeperCount == 1 }
    clock.advance(by: StartupPlan.grace)
    #expect(await ending == nil)
    #expect(log.take() == ["a", "stubborn", "b"])
    let failures = await failures(in: hub)
    #expect(failures.map(\.listener) == ["warm up.stuck"])
    #expect(failures.map(\.isTimeout) == [true])
    try await stop(whole)
    #expect(log.take() == ["undo b", "undo a"])
    open.finish()
    await log.wait(count: 1)
    #expect(log.take() == ["undo stuck"])
  }

  @Test("A step that succeeds in its time of grace is too late all the same, and is undone")
  func tooLate() async throws {
    let (gate, open) = AsyncStream<Void>.makeStream()
    let plan = adding("a", to: plan())
      .step("late", timeout: .seconds(5), undo: { log.add("undo late") }, stubborn(gate))
    async let ending = start(plan)
    await eventually { clock.sleeperCount == 1 && log.lines.count == 2 }
    clock.advance(by: .seconds(5))
    await eventually { clock.sleeperCount == 1 }
    open.finish()
    #expect(await ending?.errno == ETIMEDOUT)
    #expect(log.take() == ["a", "stubborn", "undo late", "undo a"])
  }

  @Test("Cancelled, the plan begins no further step and undoes what was done, with undo not cancelled")
  func cancelled() async throws {
    let (entered, enter) = AsyncStream<Void>.makeStream()
    // swift-format-ignore: OnlyOneTrailingClosureArgument
    let plan = plan()
      .step("a", undo: { log.add("undo a, cancelled: \(Task.isCancelled)") }) { _ in log.add("a") }
      .step("b", required: false, undo: { log.add("undo b") }) { _ in
        enter.finish()
        try await Task.sleep(for: .seconds(600))
      }
    let whole = adding("c", to: plan)
    let task = Task { await start(whole) }
    for await _ in entered {}
    task.cancel()
    let error = try #require(await task.value)
    #expect(error.code == .cancelled)
    #expect(error.listener == "warm up.b")
    #expect(log.take() == ["a", "undo a, cancelled: false"])
  }

  @Test("Cancelled in a step that succeeds all the same, the plan undoes that one too")
  func cancelledButDone() async throws {
    let (gate, open) = AsyncStream<Void>.makeStream()
    let plan = adding("b", to: plan().step("a", undo: { log.add("undo a") }, stubborn(gate)))
    let task = Task { await start(plan) }
    await log.wait(count: 1)
    task.cancel()
    open.finish()
    #expect(await task.value?.code == .cancelled)
    #expect(log.take() == ["stubborn", "undo a"])
  }

  @Test("Cancelled in a step that heeds nothing, the plan ends after its time of grace")
  func cancelledAndStuck() async throws {
    let (gate, open) = AsyncStream<Void>.makeStream()
    let plan = adding("a", to: plan()).step("stuck", undo: { log.add("undo stuck") }, stubborn(gate))
    let task = Task { await start(plan) }
    await log.wait(count: 2)
    task.cancel()
    await eventually { clock.sleeperCount == 1 }
    clock.advance(by: StartupPlan.grace)
    #expect(await task.value?.listener == "warm up.stuck")
    #expect(log.take() == ["a", "stubborn", "undo a"])
    open.finish()
    await log.wait(count: 1)
    #expect(log.take() == ["undo stuck"])
  }

  @Test("STATUS says which step runs")
  func progress() async throws {
    let lifecycle = Shared<Lifecycle?>(nil)
    let say: @Sendable () -> Void = { log.add(lifecycle.withLock(\.self)?.progress ?? "") }
    let driver = LifecycleDriver {
      plan().step("open") { _ in say() }.step("fill") { _ in say() }
    }
    lifecycle.withLock { $0 = driver.lifecycle }
    try await driver.start()
    #expect(log.lines == ["starting 1/1: warm up 1/2 open", "starting 1/1: warm up 2/2 fill"])
    #expect(await driver.stop() == 0)
  }

  @Test("In a lifecycle: the step that failed is named in STATUS, and the start is undone")
  func lifecycle() async throws {
    let plan = adding("fill", to: adding("open", to: plan()), fails: true)
    let driver = LifecycleDriver { plan }
    await #expect(throws: LifecycleError.self) { try await driver.start() }
    #expect(await driver.exitStatus() == 69)
    #expect(log.take() == ["open", "fill", "undo open"])
    let last = try #require(driver.notifyMessages.last)
    #expect(last.hasPrefix("STOPPING=1\nSTATUS=start failed: warm up.fill: "))
    #expect(last.hasSuffix("ERRNO=\(EACCES)"))
  }
}
