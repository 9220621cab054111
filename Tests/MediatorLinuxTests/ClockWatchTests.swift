/// The watch on the wall clock, with a real timer and with a descriptor of the test's.
import Glibc
import MediatorLinux
import Testing

@Suite("The watch on the wall clock", .timeLimit(.minutes(5)))
struct ClockWatchTests {
  /// The timers of this process on the wall clock that are cancelled when it is set, as /proc tells them.
  private func timers() -> Int {
    entries(of: "/proc/self/fdinfo").map { contents(of: "/proc/self/fdinfo/\($0)") }
      .filter { $0.contains("clockid: 0\n") && $0.contains("settime flags: 03\n") }.count
  }

  @Test("it is an absolute timer of the wall clock that is cancelled when that is set; it says nothing by itself")
  func timer() throws {
    let (loop, log, before) = (try EventLoop(name: "clock"), Log<Bool>(), timers())
    do {
      let watch = try ClockWatch(on: loop)
      try watch.start { log.add(true) }
      #expect(timers() == before + 1)
      watch.cancel()
    }
    #expect(eventually { timers() == before })
    loop.shutdown()
    #expect(log.all == [])
  }

  @Test("a descriptor that is given is read instead; at its end the watch ends")
  func given() throws {
    let (loop, log) = (try EventLoop(name: "clock"), Log<Bool>())
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let watch = try ClockWatch(on: loop, descriptor: ends[0])
    try watch.start { log.add(true) }
    for count in 1...2 {
      #expect(write(ends[1], "12345678", 8) == 8)
      #expect(log.wait(for: count).count == count)
    }
    close(ends[1])
    loop.submit { log.add(false) }
    #expect(log.wait(for: 3) == [true, true, false])
    loop.shutdown()
  }
}

@Suite("The watch on a folder", .timeLimit(.minutes(5)))
struct FolderWatchTests {
  private func make() -> String {
    let path = UnixListener.freshName("path")
    precondition(mkdir(path, 0o700) == 0)
    return path
  }

  private func write(_ path: String) { close(creat(path, 0o600)) }

  @Test("it tells when the entry comes, is replaced by a rename, or goes, and nothing of others")
  func entry() throws {
    let (loop, log, path) = (try EventLoop(name: "folder"), Log<FolderWatch.Told>(), make())
    let watch = try FolderWatch(path, name: "a", on: loop)
    try watch.start { log.add($0) }
    write("\(path)/b")
    rename("\(path)/b", "\(path)/c")
    loop.submit {}
    #expect(symlink("/x", "\(path)/a") == 0)
    #expect(log.wait(for: 1) == [.changed])
    #expect(symlink("/y", "\(path)/d") == 0)
    rename("\(path)/d", "\(path)/a")
    #expect(log.wait(for: 2) == [.changed, .changed])
    unlink("\(path)/a")
    #expect(log.wait(for: 3) == [.changed, .changed, .changed])
    unlink("\(path)/c")
    rmdir(path)
    #expect(log.wait(for: 4).last == .gone)
    loop.shutdown()
    #expect(log.count == 4)
  }

  @Test("without a name every entry is told of; a file is no folder")
  func all() throws {
    let (loop, log, path) = (try EventLoop(name: "folder"), Log<FolderWatch.Told>(), make())
    let watch = try FolderWatch(path, on: loop)
    try watch.start { log.add($0) }
    write("\(path)/b")
    #expect(log.wait(for: 1).first == .changed)
    watch.cancel()
    #expect(throws: LinuxError("inotify", ENOTDIR)) { try FolderWatch("\(path)/b", on: loop) }
    loop.shutdown()
    unlink("\(path)/b")
    rmdir(path)
  }
}
