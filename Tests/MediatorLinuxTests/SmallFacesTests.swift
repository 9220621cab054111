/// The faces of one call: the clock, an error's text, SIGCHLD, the lock.
import Glibc
import MediatorLinux
import Testing

@Suite("Small faces", .timeLimit(.minutes(5)))
struct SmallFacesTests {
  @Test("an error says its call and what the errno means")
  func errorText() {
    #expect(LinuxError("open", ENOENT).description == "open: No such file or directory")
    #expect(LinuxError("open", 9999).description == "open: errno 9999")
  }

  @Test("the clock is CLOCK_MONOTONIC in microseconds")
  func clock() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let before = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
    let value = MonotonicClock.microseconds()
    clock_gettime(CLOCK_MONOTONIC, &now)
    #expect(before <= value && value <= UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000)
  }

  @Test("a moment to come is rounded up, never in the past, never beyond the clock's end")
  func moments() {
    let now = MonotonicClock.microseconds()
    #expect(MonotonicClock.microseconds(after: .nanoseconds(1)) >= now + 1)
    #expect(MonotonicClock.microseconds(after: .seconds(-5)) >= now)
    #expect(MonotonicClock.microseconds(after: .milliseconds(1500)) >= now + 1_500_000)
    #expect(MonotonicClock.microseconds(after: .seconds(Int64.max)) == .max)
  }

  @Test("an inherited SIG_IGN of SIGCHLD is undone, so statuses are not lost")
  func childSignal() async {
    await #expect(processExitsWith: .success) {
      signal(SIGCHLD, SIG_IGN)
      SigDefaults.restoreChildSignal()
      let loop = try EventLoop(name: "children")
      let ended = Log<ExitStatus>()
      _ = try Child.start(
        SpawnRequest(executable: "/bin/sh", arguments: ["sh", "-c", "exit 4"]), on: loop, exited: { ended.add($0) })
      #expect(ended.wait(for: 1) == [.exited(4)])
      loop.shutdown()
    }
  }

  @Test("a lock keeps four threads apart and hands on what its body throws")
  func lock() {
    let sum = Guarded(0)
    onThreads(4) { _ in for _ in 0..<10_000 { sum.withLock { $0 += 1 } } }
    #expect(sum.withLock { $0 } == 40_000)
    #expect(throws: LinuxError("x", 1)) { try sum.withLock { _ throws(LinuxError) in throw LinuxError("x", 1) } }
  }

  @Test("a gate lets one through per opening, an opening before the wait counts, and all once it stays open")
  func gate() {
    let gate = Gate()
    let passed = Log<Int>()
    gate.open()
    gate.pass()
    onThreads(2) { thread in
      for round in 0..<1000 {
        if thread == 0 {
          gate.pass()
          passed.add(round)
        } else {
          _ = eventually { passed.count == round }
          gate.open()
        }
      }
    }
    #expect(passed.all == Array(0..<1000))
    let open = Gate()
    onThreads(5) { thread in if thread == 0 { open.stayOpen() } else { open.waitOpen() } }
  }
}
