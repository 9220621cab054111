/// Watched descriptors and timers: when they fire, how they end, what they keep alive.
import Foundation
import Glibc
import MediatorLinux
import Testing

@Suite("Event source", .timeLimit(.minutes(5)))
struct EventSourceTests {
  @Test("a handler is called from the same depth however often it was called before")
  func depth() throws {
    let loop = try EventLoop(name: "depth")
    let pipe = Pipe()
    let depths = Guarded<[Int]>([])
    let source = try loop.watch(descriptor: pipe.readEnd) {
      _ = pipe.read()
      depths.withLock { $0.append(Thread.callStackReturnAddresses.count) }
    }
    for count in 1...300 {
      pipe.write()
      #expect(eventually { depths.withLock { $0.count } >= count })
    }
    let all = depths.withLock { $0 }
    #expect(all.last == all.first)
    source.cancel()
    loop.shutdown()
  }

  @Test("a descriptor is watched by level: unread data calls again")
  func level() throws {
    let loop = try EventLoop(name: "level")
    defer { loop.shutdown() }
    let pipe = Pipe()
    let log = Log<Int>()
    _ = try loop.watch(descriptor: pipe.readEnd) {
      log.add(1)
      if log.count == 3 { _ = pipe.read() }
    }
    pipe.write()
    #expect(log.wait(for: 3).count == 3)
    pipe.write()
    #expect(log.wait(for: 4).count >= 4)
  }

  @Test("what is important goes before what is ready at the same time")
  func priority() throws {
    let loop = try EventLoop(name: "priority")
    defer { loop.shutdown() }
    let (idle, normal, important) = (Pipe(), Pipe(), Pipe())
    let log = Log<String>()
    _ = try loop.watch(descriptor: idle.readEnd, priority: .idle) { log.add("idle \(idle.read())") }
    _ = try loop.watch(descriptor: normal.readEnd) { log.add("normal \(normal.read())") }
    _ = try loop.watch(descriptor: important.readEnd, priority: .important) { log.add("important \(important.read())") }
    loop.submit { for pipe in [idle, normal, important] { pipe.write() } }
    #expect(log.wait(for: 3) == ["important 1", "normal 1", "idle 1"])
  }

  @Test("a source that cancels itself in its handler is not called again and lets go of what it captured")
  func cancelInside() throws {
    let loop = try EventLoop(name: "inside")
    defer { loop.shutdown() }
    let (pipe, released, calls) = (Pipe(), Log<Int>(), Log<Int>())
    let own = Guarded<EventSource?>(nil)
    let canary = Guarded<Canary?>(Canary { released.add(1) })
    let source = try loop.watch(descriptor: pipe.readEnd) { [canary = canary.withLock { $0 }] in
      canary?.touch()
      calls.add(1)
      own.withLock { $0 }?.cancel()
    }
    own.withLock { $0 = source }
    canary.withLock { $0 = nil }
    pipe.write()
    #expect(released.wait(for: 1) == [1])
    pipe.write()
    loop.shutdown()
    #expect(calls.all == [1])
  }

  @Test("a cancelled source whose descriptor stays ready does not keep the loop from its other work")
  func cancelledButReady() throws {
    let loop = try EventLoop(name: "ready")
    let (pipe, began, ran) = (Pipe(), Log<Int>(), Log<Int>())
    let source = try loop.watch(descriptor: pipe.readEnd, priority: .important) { began.add(1) }
    pipe.write()
    _ = began.wait(for: 1)
    source.cancel()
    loop.submit { ran.add(1) }
    #expect(ran.wait(for: 1) == [1])
    loop.shutdown()
  }

  @Test("after a cancel from another thread no handler starts, and the descriptor can be watched anew")
  func cancelOutside() throws {
    let loop = try EventLoop(name: "outside")
    defer { loop.shutdown() }
    let (pipe, calls) = (Pipe(), Log<Int>())
    for round in 0..<200 {
      let source = try loop.watch(descriptor: pipe.readEnd) { calls.add(round) }
      pipe.write()
      if round % 2 == 0 { _ = calls.wait(for: 1) }
      source.cancel()
      let count = calls.count
      source.cancel()
      _ = pipe.read()
      #expect(calls.count <= count + 1)  // one may have been under way
    }
    let last = Log<Int>()
    _ = try loop.watch(descriptor: pipe.readEnd) { last.add(pipe.read()) }
    pipe.write()
    #expect(last.wait(for: 1) == [1])
  }

  @Test(
    "what cannot be watched is an error that names the call",
    arguments: [("regular file", EPERM), ("closed descriptor", EBADF), ("watched already", EEXIST)])
  func cannotWatch(what: String, code: Int32) throws {
    let loop = try EventLoop(name: "cannot")
    defer { loop.shutdown() }
    let pipe = Pipe()
    var descriptor = pipe.readEnd
    switch what {
    case "regular file": descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    case "closed descriptor": descriptor = 1_000_000
    default: _ = try loop.watch(descriptor: descriptor) {}
    }
    #expect(throws: LinuxError("sd_event_add_io", code)) { try loop.watch(descriptor: descriptor) {} }
    if what == "regular file" { close(descriptor) }
  }

  @Test("after shutdown watching is an error, a timer never fires, and handlers are released")
  func afterShutdown() throws {
    let loop = try EventLoop(name: "after")
    let (pipe, released) = (Pipe(), Log<Int>())
    do {
      let canary = Canary { released.add(1) }
      _ = try loop.watch(descriptor: pipe.readEnd) { canary.touch() }
      loop.timer(after: .seconds(3600)) { canary.touch() }
    }
    #expect(released.count == 0)
    loop.shutdown()
    #expect(released.wait(for: 1) == [1])
    #expect(throws: LinuxError("sd_event_add_io", ESHUTDOWN)) { try loop.watch(descriptor: pipe.readEnd) {} }
    let fired = Log<Int>()
    loop.timer(after: .zero) { fired.add(1) }
    let behind = Log<Int>()
    loop.submit { behind.add(1) }
    #expect(behind.wait(for: 1) == [1])
    #expect(fired.count == 0)
  }

  @Test("timers fire in the order of their moments, none early, whoever kept them or not")
  func timers() throws {
    let loop = try EventLoop(name: "timers")
    defer { loop.shutdown() }
    let log = Log<(Int, UInt64)>()
    let start = MonotonicClock.microseconds()
    for delay in [30, 10, 20, 0, -5] {
      loop.timer(after: .milliseconds(delay)) { log.add((delay, MonotonicClock.microseconds())) }
    }
    let all = log.wait(for: 5)
    #expect(all.map(\.0).sorted() == [-5, 0, 10, 20, 30])
    #expect(all.suffix(3).map(\.0) == [10, 20, 30])
    for (delay, fired) in all { #expect(Int(fired - start) >= delay * 1000) }
  }

  @Test("a timer fires once, a cancelled one never, one beyond the clock's end neither")
  func timerOnce() throws {
    let loop = try EventLoop(name: "once")
    defer { loop.shutdown() }
    let log = Log<String>()
    loop.timer(after: .milliseconds(1)) { log.add("once") }
    loop.timer(after: .milliseconds(5)) { log.add("cancelled") }.cancel()
    loop.timer(after: .seconds(Int64.max)) { log.add("never") }
    loop.timer(after: .milliseconds(20)) { log.add("last") }
    #expect(log.wait(for: 2) == ["once", "last"])
  }

  @Test("what is told first is told while several other sources are always ready", arguments: [1, 3])
  func firstInFlood(_ count: Int) throws {
    let loop = try EventLoop(name: "flood")
    let (log, flood) = (Log<Int>(), Log<Int>())
    let pipes = (0..<count).map { _ in Pipe() }
    for pipe in pipes {
      _ = try loop.watch(descriptor: pipe.readEnd) { if flood.all.count < 100 { flood.add(1) } }
      pipe.write()
    }
    let first = Pipe()
    _ = try loop.watchFirst(descriptor: first.readEnd) {
      _ = first.read()
      log.add(1)
    }
    #expect(flood.wait(for: 100).count == 100)
    first.write()
    #expect(log.wait(for: 1) == [1])
    loop.shutdown()
  }
}
