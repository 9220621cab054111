/// The loop as an executor: order, isolation, end.
import Glibc
import MediatorLinux
import Testing

actor OnLoop {
  let loop: EventLoop
  var seen: [Int] = []

  init(_ loop: EventLoop) { self.loop = loop }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  func add(_ value: Int) { seen.append(value) }
  func isOnLoop() -> Bool { loop.isCurrent }
}

@Suite("Event loop", .timeLimit(.minutes(5)))
struct EventLoopTests {
  @Test("work runs in the order in which it was submitted, on the loop's thread")
  func order() throws {
    let loop = try EventLoop(name: "order")
    let log = Log<Int>()
    for value in 0..<10_000 { loop.submit { log.add(loop.isCurrent ? value : -1) } }
    loop.shutdown()
    #expect(log.all == Array(0..<10_000))
    #expect(!loop.isCurrent)
  }

  @Test("each of four submitting threads finds its own work in order, none lost")
  func manyThreads() throws {
    let loop = try EventLoop(name: "many")
    let log = Log<[Int]>()
    onThreads(4) { thread in for value in 0..<2000 { loop.submit { log.add([thread, value]) } } }
    loop.shutdown()
    for thread in 0..<4 { #expect(log.all.filter { $0[0] == thread }.map { $0[1] } == Array(0..<2000)) }
  }

  @Test("an actor that lives on the loop runs there, in one order with submitted work")
  func actorOnLoop() async throws {
    let loop = try EventLoop(name: "actor")
    let actor = OnLoop(loop)
    #expect(await actor.isOnLoop())
    for value in 0..<100 { await actor.add(value) }
    #expect(await actor.seen == Array(0..<100))
    loop.shutdown()
  }

  @Test("handlers of the loop may assume an actor's isolation")
  func assumeIsolated() throws {
    let loop = try EventLoop(name: "isolated")
    let actor = OnLoop(loop)
    let log = Log<Int>()
    let pipe = Pipe()
    _ = try loop.watch(descriptor: pipe.readEnd) {
      _ = pipe.read()
      actor.assumeIsolated { $0.add(1) }
      log.add(1)
    }
    loop.timer(after: .zero) {
      actor.assumeIsolated { $0.add(2) }
      log.add(2)
    }
    loop.submit {
      actor.assumeIsolated { $0.add(3) }
      log.add(3)
    }
    pipe.write()
    #expect(Set(log.wait(for: 3)) == [1, 2, 3])
    loop.shutdown()
  }

  @Test("assuming the isolation elsewhere traps")
  func assumeIsolatedElsewhere() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop(name: "elsewhere")
      let actor = OnLoop(loop)
      onThreads(1) { _ in actor.assumeIsolated { $0.add(1) } }
    }
  }

  @Test("work that queues more of itself does not starve a timer")
  func noStarvation() throws {
    let loop = try EventLoop(name: "starve")
    let fired = Log<Int>()
    @Sendable func again() { if fired.count == 0 { loop.submit(again) } }
    loop.submit(again)
    loop.timer(after: .milliseconds(5)) { fired.add(1) }
    #expect(fired.wait(for: 1) == [1])
    loop.shutdown()
  }

  @Test("shutdown runs what is queued, may be called twice, from several threads and from the loop itself")
  func shutdown() throws {
    let loop = try EventLoop(name: "end")
    let log = Log<Int>()
    loop.submit {
      log.add(1)
      loop.shutdown()
      loop.submit { log.add(2) }
    }
    onThreads(3) { _ in loop.shutdown() }
    #expect(log.all == [1, 2])
    loop.shutdown()
  }

  @Test("work that comes after the end still runs, in isolation")
  func late() async throws {
    let loop = try EventLoop(name: "late")
    let actor = OnLoop(loop)
    loop.shutdown()
    #expect(await actor.isOnLoop())
    let log = Log<Bool>()
    onThreads(4) { _ in for _ in 0..<100 { loop.submit { log.add(loop.isCurrent) } } }
    #expect(log.wait(for: 400).allSatisfy { $0 })
    #expect(log.count == 400)
  }

  @Test("a hundred loops leave no thread and no descriptor behind")
  func leaks() async {
    await #expect(processExitsWith: .success) {
      func round() throws {
        let loop = try EventLoop(name: "leak")
        let pipe = Pipe()
        _ = try loop.watch(descriptor: pipe.readEnd) { _ = pipe.read() }
        loop.timer(after: .seconds(1000)) { pipe.write() }
        let delivery = try DeliveryExecutor(name: "leak")
        loop.shutdown()
        delivery.shutdown()
      }
      try round()
      let before = entries(of: "/proc/self/fd").count
      for _ in 0..<100 { try round() }
      // Some, but not one a round: Dispatch may open its own at any time.
      #expect(eventually { entries(of: "/proc/self/fd").count < before + 10 })
      let names = entries(of: "/proc/self/task").map { name(of: $0) }
      #expect(eventually { !entries(of: "/proc/self/task").map { name(of: $0) }.contains("leak\n") }, "\(names)")
    }
  }

  @Test("the thread bears the loop's name and blocks every signal but faults")
  func thread() throws {
    let loop = try EventLoop(name: "named-loop")
    let log = Log<String>()
    loop.submit {
      var mask = sigset_t()
      pthread_sigmask(SIG_SETMASK, nil, &mask)
      log.add(contents(of: "/proc/thread-self/comm"))
      log.add("\([SIGTERM, SIGHUP, SIGUSR1].allSatisfy { sigismember(&mask, $0) == 1 })")
      log.add("\([SIGSEGV, SIGABRT].contains { sigismember(&mask, $0) == 1 })")
    }
    loop.shutdown()
    #expect(log.all == ["named-loop\n", "true", "false"])
  }
}

private func name(of task: String) -> String { contents(of: "/proc/self/task/\(task)/comm") }
