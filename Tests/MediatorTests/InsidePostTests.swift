import Foundation
import MediatorTestKit
import Testing

@testable import Mediator

/// Where synchronous listeners are told that stand first, and who goes on after them.
@Suite("Where synchronous listeners are told", .timeLimit(.minutes(5)))
struct InsidePostTests {
  /// The thread that is inside a post.
  private let posting = Shared<ObjectIdentifier?>(nil)
  private let log = Log()

  /// Says also whether it is told inside the post.
  private struct Quick: SynchronousListener {
    let name: String
    let log: Log
    let posting: Shared<ObjectIdentifier?>
    func handle(_ transition: LifecycleTransition) { log.add(Self.line(name, posting)) }

    static func line(_ name: String, _ posting: Shared<ObjectIdentifier?>) -> String {
      "\(name) \(posting.withLock(\.self) == ObjectIdentifier(Thread.current) ? "here" : "elsewhere")"
    }
  }

  private func makeMediator(
    _ center: NotificationCenter? = nil, executor: (any TaskExecutor)? = nil
  ) -> LifecycleMediator {
    let (log, posting) = (log, posting)
    return LifecycleMediator(center: center, object: nil, executor: executor, recorder: nil) {
      Quick(name: "q", log: log, posting: posting)
      Quick(name: "r", log: log, posting: posting)
      Named("a") { _ in log.add(Quick.line("a", posting)) }
      Quick(name: "s", log: log, posting: posting)
    }
  }

  /// What was told when the post returned.
  private func inPost(_ body: () -> Void) -> [String] {
    let thread = ObjectIdentifier(Thread.current)
    posting.withLock { $0 = thread }
    body()
    defer { posting.withLock { $0 = nil } }
    return log.lines
  }

  private func post(_ center: NotificationCenter) -> [String] {
    inPost { center.post(name: Lifecycle.didBecomeActiveNotification, object: nil) }
  }

  private func makeTransition() -> LifecycleTransition {
    let transition = LifecycleTransition(event: .willFinishLaunching, reason: .start, origin: .embedder)
    transition.beginPost(at: .now)
    return transition
  }

  @Test("With an executor of the mediator's own nobody is told on the thread of somebody else's post")
  func foreignWithExecutor() async {
    let center = NotificationCenter()
    let mediator = makeMediator(center, executor: BlockingExecutor())
    _ = post(center)
    await log.wait(count: 4)
    #expect(log.lines == ["q", "r", "a", "s"].map { "\($0) elsewhere" })
    withExtendedLifetime(mediator) {}
  }

  @Test("In the lifecycle's post they are told when all observers have returned, on its thread")
  func own() async {
    let (mediator, transition) = (makeMediator(), makeTransition())
    mediator.receive(transition)
    #expect(log.lines == [])
    #expect(inPost { transition.endPost() }.prefix(2) == ["q here", "r here"])
    await log.wait(count: 4)
    #expect(log.lines.suffix(2) == ["a elsewhere", "s elsewhere"])
    await eventually { transition.isEnded }
    #expect(transition.isEnded)
  }

  @Test("When an observer does not return they are told elsewhere, once, also if it returns after all")
  func abandoned() async {
    let (mediator, transition) = (makeMediator(), makeTransition())
    mediator.receive(transition)
    _ = inPost { transition.abandonPost() }
    await log.wait(count: 4)
    transition.endPost()
    await eventually { transition.isEnded }
    #expect(log.lines == ["q", "r", "a", "s"].map { "\($0) elsewhere" })
  }

  @Test("What is cancelled before the post has returned tells nobody")
  func cancelled() async {
    let (mediator, transition) = (makeMediator(), makeTransition())
    mediator.receive(transition)
    transition.apply(.cancel)
    transition.endPost()
    await eventually { transition.isEnded }
    #expect(transition.isEnded)
    #expect(log.lines == [])
  }

  /// Runs nothing while it holds.
  private final class Holding: TaskExecutor {
    private struct State: Sendable {
      var isHolding = false
      var jobs: [UnownedJob] = []
    }
    private let state = Shared(State())

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let isHeld = state.withLock { state in
        if state.isHolding { state.jobs.append(job) }
        return state.isHolding
      }
      if !isHeld { run(job) }
    }

    var isHoldingAny: Bool { state.withLock { !$0.jobs.isEmpty } }

    func hold() { state.withLock { $0.isHolding = true } }

    func letGo() {
      let jobs = state.withLock { state in
        defer { state = State() }
        return state.jobs
      }
      for job in jobs { run(job) }
    }

    private func run(_ job: UnownedJob) {
      DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  @Test("Who comes after them and whose task cannot begin yet is not left behind for that")
  func heldUp() async throws {
    let (log, posting, executor) = (log, posting, Holding())
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(call: .seconds(5))) {}
    let mediator = LifecycleMediator(center: driver.center, object: driver.lifecycle, executor: executor) {
      Named("a", log: log)
      Quick(name: "q", log: log, posting: posting)
    }
    try await driver.start()
    executor.hold()
    _ = log.take()
    let pause = Task { try await driver.pause() }
    await log.wait(count: 1)
    for _ in 0..<20 {
      await driver.settleLoop()
      driver.clock.advance(by: .seconds(1))
    }
    await driver.settleLoop()
    #expect(mediator.snapshot.map(\.state) == [.foreground, .background])
    executor.letGo()
    try await pause.value
    #expect(mediator.snapshot.map(\.state) == [.background, .background])
    #expect(await driver.stop() == 0)
  }

  @Test("The first one has all its time when its turn comes, however long its task could not begin")
  func lateFirst() async throws {
    let (log, gate, executor) = (log, Gate(), Holding())
    let driver = LifecycleDriver(timeouts: LifecycleTimeouts(call: .seconds(10))) {}
    let mediator = LifecycleMediator(center: driver.center, object: driver.lifecycle, executor: executor) {
      Named("a", log: log) { if $0.event == .willResignActive { await gate.pass() } }
    }
    func turn(seconds: Int) async {
      for _ in 0..<seconds {
        await driver.settleLoop()
        driver.clock.advance(by: .seconds(1))
      }
      await driver.settleLoop()
    }
    try await driver.start()
    executor.hold()
    let pause = Task { try await driver.pause() }
    await eventually { executor.isHoldingAny }
    await turn(seconds: 9)
    executor.letGo()
    await eventually { log.lines.last == "a.willResignActive" }
    await turn(seconds: 2)
    await gate.open()
    try await pause.value
    #expect(mediator.snapshot.map(\.state) == [.background])
    #expect(driver.notifyMessages.last == "STATUS=paused")
    #expect(await driver.stop() == 0)
  }
}
