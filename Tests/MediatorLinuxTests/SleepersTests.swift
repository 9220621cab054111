import Glibc
import Testing

@testable import MediatorLinux

@Suite("Who sleeps on the first thread")
struct SleepersTests {
  private let start = SuspendingClock.now

  private func at(_ seconds: Int) -> SuspendingClock.Instant { start + .seconds(seconds) }

  private func sleepers(_ times: [Int]) -> Sleepers<String> {
    var sleepers = Sleepers<String>()
    for time in times { sleepers.add(sleepers.number(), until: at(time), "\(time)") }
    return sleepers
  }

  @Test("They wake in the order of their times, and of equal times in the order in which they came")
  func order() {
    var sleepers = sleepers([3, 1, 5, 2])
    sleepers.add(sleepers.number(), until: at(1), "1 again")
    #expect(sleepers.earliest == at(1))
    #expect(sleepers.takeDue(at: start) == [])
    #expect(sleepers.takeDue(at: at(3)) == ["1", "1 again", "2", "3"])
    #expect(sleepers.earliest == at(5))
    #expect(sleepers.takeDue(at: at(4)) == [])
    #expect(sleepers.takeDue(at: at(9)) == ["5"])
    #expect(sleepers.earliest == nil)
  }

  @Test("One that is removed does not wake, and the next one is due; a second time it is not there")
  func removed() {
    var sleepers = sleepers([1, 2])
    #expect(sleepers.remove(1) == "1")
    #expect(sleepers.remove(1) == nil)
    #expect(sleepers.earliest == at(2))
    #expect(sleepers.takeDue(at: at(1)) == [])
    #expect(sleepers.remove(2) == "2")
    #expect(sleepers.earliest == nil)
    #expect(sleepers.takeDue(at: at(9)) == [])
  }
}

@Suite("The first thread's own tasks", .timeLimit(.minutes(1)))
struct CallingThreadTests {
  /// On a thread that may wait.
  private func run<Value: Sendable>(_ body: @escaping @Sendable (CallingThread) async -> Value) async throws -> Value {
    try await BlockingCall.run("first") {
      let thread = CallingThread()
      return thread.run { await body(thread) }
    }
  }

  @Test("Tasks of it run on its one thread, also after a hop elsewhere")
  func oneThread() async throws {
    let threads = try await run { thread in
      let here = Thread.current
      let tasks = (0..<20).map { _ in
        Task(executorPreference: thread) {
          await Task.yield()
          return Thread.current
        }
      }
      _ = await Task.detached { 1 }.value
      var others: [pthread_t] = [Thread.current]
      for task in tasks { others.append(await task.value) }
      return others.filter { $0 != here }
    }
    #expect(threads == [])
  }

  @Test("Who sleeps is woken in time and in order, from whatever thread he went to sleep")
  func sleep() async throws {
    let (order, time) = try await run { thread in
      let (log, began) = (Log<Int>(), ContinuousClock.now)
      let tasks = [60, 20, 40].map { time in
        Task.detached {
          try? await thread.sleep(for: .milliseconds(time))
          log.add(time)
        }
      }
      for task in tasks { await task.value }
      return (log.all, ContinuousClock.now - began)
    }
    #expect(order == [20, 40, 60])
    #expect(time >= .milliseconds(60))
  }

  @Test("A cancelled sleep ends at once, also one that begins cancelled; others sleep on")
  func cancelled() async throws {
    let isCancelled = try await run { thread in
      let sleeping = Task(executorPreference: thread) { try await thread.sleep(for: .seconds(1000)) }
      let late = Task(executorPreference: thread) { () async -> Bool in
        withUnsafeCurrentTask { $0?.cancel() }
        do { try await thread.sleep(for: .seconds(1000)) } catch { return error is CancellationError }
        return false
      }
      try? await thread.sleep(for: .milliseconds(5))
      sleeping.cancel()
      guard case .failure(let error) = await sleeping.result, error is CancellationError else { return false }
      return await late.value
    }
    #expect(isCancelled)
  }

  private enum Thread {
    static var current: pthread_t { pthread_self() }
  }
}
