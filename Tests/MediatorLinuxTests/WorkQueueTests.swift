import Testing

@testable import MediatorLinux

@Suite("The queue of an executor's thread")
struct WorkQueueTests {
  @Test("A stop that comes between the look and the sleep keeps the thread awake, so that it ends")
  func stopBeforeSleep() {
    var queue = WorkQueue()
    let first = queue.append(.closure {})
    _ = queue.next()
    // The thread has looked (nothing to do, no stop) and is about to sleep.
    let stop = queue.stop()
    let slept = queue.sleepIfEmpty(ending: false)
    let ended = queue.sleepIfEmpty(ending: true)
    #expect(first == .thread)
    #expect(stop == .nothing)
    #expect(!slept)
    #expect(ended && queue.finished)
  }

  @Test("Work that comes between the look and the sleep keeps the thread awake")
  func workBeforeSleep() {
    var queue = WorkQueue()
    _ = queue.append(.closure {})
    _ = queue.next()
    let second = queue.append(.closure {})
    let slept = queue.sleepIfEmpty(ending: false)
    _ = queue.next()
    let sleptAfterwards = queue.sleepIfEmpty(ending: false)
    let third = queue.append(.closure {})
    #expect(second == .nothing)
    #expect(!slept)
    #expect(sleptAfterwards)
    #expect(third == .thread)
  }

  @Test("Work that comes after the end asks for a thread of its own")
  func late() {
    var queue = WorkQueue()
    _ = queue.stop()
    if case .some = queue.nextOrSleep() { Issue.record("there is nothing to do") }
    let late = queue.append(.closure {})
    #expect(late == .lateThread)
  }
}
