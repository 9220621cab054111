/// Watches on memory pressure, with real descriptors of each kind.
import Glibc
import MediatorLinux
import Testing

@Suite("Watches on memory pressure", .timeLimit(.minutes(5)))
struct PressureWatchTests {
  private func path() -> String { UnixListener.freshName("path") }

  @Test("a FIFO tells of each writer, whoever comes and goes; what was written into it as a trigger is not read back")
  func fifo() throws {
    let (loop, log, path) = (try EventLoop(name: "fifo"), Log<PressureWatch.Told>(), path())
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let watch = try PressureWatch(path, writing: Array("some 1 2".utf8), on: loop)
    #expect(!watch.isTrigger)
    try watch.start { log.add($0) }
    for count in 1...3 {
      let writer = open(path, O_WRONLY | O_CLOEXEC)
      #expect(write(writer, "x", 1) == 1)
      close(writer)
      #expect(log.wait(for: count).count == count)
    }
    watch.cancel()
    loop.shutdown()
    #expect(log.all == [.pressure, .pressure, .pressure])
  }

  @Test("a socket gets the trigger, tells of what it sends, and at its end that it is gone")
  func socket() throws {
    let (loop, log, path) = (try EventLoop(name: "socket"), Log<PressureWatch.Told>(), path())
    let server = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer {
      close(server)
      unlink(path)
    }
    let isBound = try SocketAddress.unix(path).bytes.withUnsafeBytes {
      bind(server, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count)) == 0
    }
    #expect(isBound && listen(server, 1) == 0)
    let watch = try PressureWatch(path, writing: Array("some 1 2".utf8), on: loop)
    try watch.start { log.add($0) }
    let peer = accept(server, nil, nil)
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = read(peer, &buffer, buffer.count)
    #expect(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self) == "some 1 2")
    #expect(write(peer, "x", 1) == 1)
    #expect(log.wait(for: 1) == [.pressure])
    close(peer)
    #expect(log.wait(for: 2) == [.pressure, .gone])
    loop.shutdown()
  }

  @Test(
    "a trigger of the machine's can be had; without one the kernel says that there is nothing to wait for",
    .enabled(if: access("/proc/pressure/memory", R_OK | W_OK) == 0, "needs pressure stall information"))
  func kernel() throws {
    let (loop, log) = (try EventLoop(name: "psi"), Log<PressureWatch.Told>())
    let watch = try PressureWatch(
      "/proc/pressure/memory", writing: Array("some 200000 2000000\0".utf8), on: loop)
    #expect(watch.isTrigger)
    try watch.start { log.add($0) }
    let other = try PressureWatch("/proc/pressure/memory", writing: [], on: loop)
    try other.start { log.add($0) }
    #expect(log.wait(for: 1).contains(.gone))
    #expect(throws: LinuxError("write", EINVAL)) {
      try PressureWatch("/proc/pressure/memory", writing: Array("some 1 2".utf8), on: loop)
    }
    watch.cancel()
    loop.shutdown()
  }

  @Test("what cannot be watched says why")
  func refused() throws {
    let loop = try EventLoop(name: "refused")
    defer { loop.shutdown() }
    #expect(throws: LinuxError("stat", ENOENT)) { try PressureWatch("/nonexistent/x", writing: [], on: loop) }
    #expect(throws: LinuxError("open", EBADF)) { try PressureWatch("/proc", writing: [], on: loop) }
    #expect(throws: LinuxError("stat", EINVAL)) { try PressureWatch("/proc/\0", writing: [], on: loop) }
  }

  @Test("every descriptor is closed, whoever lets go last")
  func descriptors() throws {
    let path = path()
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let isOpen: @Sendable () -> Bool = {
      entries(of: "/proc/self/fd").contains { name in Int32(name).map(linkOfDescriptor) == path }
    }
    let loop = try EventLoop(name: "descriptors")
    do {
      let watch = try PressureWatch(path, writing: [], on: loop)
      try watch.start { _ in }
      #expect(isOpen())
      watch.cancel()
    }
    #expect(eventually { !isOpen() })
    loop.shutdown()
  }
}

@Suite("What is urgent for the loop", .timeLimit(.minutes(5)))
struct UrgentTests {
  /// Out-of-band data is what makes POLLPRI without a machine in trouble.
  private func pair() -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  @Test("it is told beside other work of the loop, and no more after its cancellation")
  func told() throws {
    let (loop, log) = (try EventLoop(name: "urgent"), Log<String>())
    let (ours, theirs) = pair()
    defer { close(theirs) }
    let source = try loop.watchUrgent(
      descriptor: ours, gone: { log.add("gone") },
      {
        var byte: UInt8 = 0
        _ = recv(ours, &byte, 1, Int32(MSG_OOB))
        log.add("urgent")
      })
    loop.submit { log.add("work") }
    #expect(log.wait(for: 1) == ["work"])
    #expect(send(theirs, "x", 1, Int32(MSG_OOB)) == 1)
    #expect(log.wait(for: 2) == ["work", "urgent"])
    source.cancel()
    loop.submit { close(ours) }
    loop.submit { log.add("work") }
    loop.shutdown()
    #expect(log.all == ["work", "urgent", "work"])
  }

  @Test("a peer that is gone is told once, and the loop goes on")
  func gone() throws {
    let (loop, log) = (try EventLoop(name: "gone"), Log<String>())
    let (ours, theirs) = pair()
    defer { close(ours) }
    _ = try loop.watchUrgent(descriptor: ours, gone: { log.add("gone") }, { log.add("urgent") })
    close(theirs)
    #expect(log.wait(for: 1) == ["gone"])
    loop.submit { log.add("work") }
    #expect(log.wait(for: 2) == ["gone", "work"])
    loop.shutdown()
  }

  @Test("one too many is refused, and so is all after the end")
  func most() throws {
    let loop = try EventLoop(name: "most")
    let (ours, theirs) = pair()
    defer { for end in [ours, theirs] { close(end) } }
    for _ in 0..<8 { _ = try loop.watchUrgent(descriptor: ours, gone: {}, {}) }
    #expect(throws: LinuxError("poll", ENOSPC)) { try loop.watchUrgent(descriptor: ours, gone: {}, {}) }
    loop.shutdown()
    #expect(throws: LinuxError("poll", ESHUTDOWN)) { try loop.watchUrgent(descriptor: ours, gone: {}, {}) }
  }
}
