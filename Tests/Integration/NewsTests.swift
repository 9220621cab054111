/// Hooks on news of the machine: memory pressure, changes of time, signals.
import Foundation
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Hooks on news of the machine", .timeLimit(.minutes(5)))
struct NewsTests {
  /// What the process has open there.
  private func opened(_ path: String, by daemon: DaemonUnderTest) -> Int {
    let folder = "/proc/\(daemon.processID)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let targets = names.map { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    let path = (path as NSString).standardizingPath
    return targets.filter { $0 == path }.count
  }

  /// Whether a descriptor of inotify(7) tells of this folder.
  private func watches(_ path: String, by daemon: DaemonUnderTest) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    let folder = "/proc/\(daemon.processID)/fdinfo"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { name in
      let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
      return text.contains("inotify ") && text.contains(" ino:\(String(status.st_ino, radix: 16)) ")
    }
  }

  private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  // MARK: Memory pressure

  @Test("a FIFO of the manager's runs the hooks in order, with how bad it is; the next one in ten seconds is left out")
  func fifo() async throws {
    let folder = try HookFolder()
    try folder.hook("20-b", on: "memory-pressure")
    try folder.hook("10-a", on: "memory-pressure", "echo \"$LIFECYCLE_PRESSURE,$LIFECYCLE_STATE\" >>$TRACE")
    let fifo = folder.beside("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    let daemon = try DaemonUnderTest(folder, environment: ["MEMORY_PRESSURE_WATCH": fifo])
    try await daemon.ready()
    #expect(await eventually { opened(fifo, by: daemon) == 1 })
    let writer = open(fifo, O_WRONLY | O_CLOEXEC)
    defer { close(writer) }
    #expect(write(writer, "x", 1) == 1)
    await daemon.untilRan("20-b memory-pressure start")
    #expect(write(writer, "x", 1) == 1)
    try await daemon.reload()
    #expect(folder.ran == ["10-a memory-pressure start", "some,foreground", "20-b memory-pressure start"])
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("a socket of the manager's is told what it asked for; a trigger for the worse is told as such")
  func socket() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "memory-pressure", "echo $LIFECYCLE_PRESSURE >>$TRACE")
    let path = folder.beside("socket")
    let server = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(server) }
    let isBound = try SocketAddress.unix(path).bytes.withUnsafeBytes {
      bind(server, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count)) == 0
    }
    #expect(isBound && listen(server, 1) == 0)
    let daemon = try DaemonUnderTest(
      folder, environment: ["MEMORY_PRESSURE_WATCH": path, "MEMORY_PRESSURE_WRITE": base64("full 5 6")])
    try await daemon.ready()
    let peer = accept(server, nil, nil)
    defer { close(peer) }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = read(peer, &buffer, buffer.count)
    #expect(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self) == "full 5 6")
    #expect(write(peer, "x", 1) == 1)
    await daemon.untilRan("full")
    #expect(await daemon.stop() == .exited(0))
  }

  private static let machine = "/proc/pressure/memory"
  private static let hasPressure = access(machine, R_OK | W_OK) == 0

  @Test(
    "the machine's pressure is watched only while a hook wants to know, also one that a reload brings or takes",
    .enabled(if: hasPressure, "needs pressure stall information"))
  func watched() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start")
    let daemon = try DaemonUnderTest(folder, arguments: ["--log-level", "debug"])
    try await daemon.ready()
    #expect(pressureFiles(daemon) == 0)
    try folder.hook("20-b", on: "memory-pressure")
    try await daemon.reload()
    #expect(await eventually { pressureFiles(daemon) == 2 }, "one trigger for each level")
    try folder.remove("20-b.hook")
    try await daemon.reload()
    #expect(await eventually { pressureFiles(daemon) == 0 })
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("/dev/null turns it off; a source that cannot be had is left for the next, with a line for those who debug")
  func off() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "memory-pressure")
    let quiet = try DaemonUnderTest(folder, environment: ["MEMORY_PRESSURE_WATCH": "/dev/null"])
    try await quiet.ready()
    try await quiet.reload()
    #expect(pressureFiles(quiet) == 0)
    #expect(await quiet.stop() == .exited(0))
    let denied = try DaemonUnderTest(
      folder, arguments: ["--log-level", "debug"],
      environment: ["MEMORY_PRESSURE_WATCH": "/nonexistent/x", "MEMORY_PRESSURE_WRITE": base64("some 1 2")])
    try await denied.ready()
    await denied.untilLogged("memoryPressure cannot be watched there: /nonexistent/x: stat: No such file or directory")
    if Self.hasPressure {
      #expect(await eventually { pressureFiles(denied) == 2 })
    }
    #expect(await denied.stop() == .exited(0))
  }

  /// Triggers of the machine's or of a control group's.
  private func pressureFiles(_ daemon: DaemonUnderTest) -> Int {
    let group = ControlGroup.own().map { opened("\($0.path)/memory.pressure", by: daemon) } ?? 0
    return opened(Self.machine, by: daemon) + group
  }

  private static let memoryGroups = "/sys/fs/cgroup/memory"

  @Test(
    "real pressure, of processes that want more than their control group has, runs the hook with the numbers",
    .enabled(
      if: hasPressure && access("\(memoryGroups)/cgroup.procs", W_OK) == 0, "needs a control group that limits memory"))
  func real() async throws {
    let folder = try HookFolder()
    try folder.hook(
      "10-a", on: "memory-pressure",
      "echo \"$LIFECYCLE_PRESSURE $LIFECYCLE_PRESSURE_SOME\" | sed 's/ [0-9.]*[1-9].*/ number/' >>$TRACE")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let group = "\(Self.memoryGroups)/lifecycled-test-\(getpid())"
    #expect(mkdir(group, 0o755) == 0)
    try "32M".write(toFile: "\(group)/memory.limit_in_bytes", atomically: false, encoding: .utf8)
    // Reads a file of 400 MB again and again, of which only a part fits in.
    let program = """
      import os
      open('\(group)/cgroup.procs', 'w').write(str(os.getpid()))
      fd = os.open('\(folder.beside("large"))', os.O_RDWR | os.O_CREAT)
      for at in range(400): os.pwrite(fd, b'x' * 1048576, at << 20)
      while not os.path.exists('\(folder.beside("enough"))'):
        for at in range(400): os.pread(fd, 1048576, at << 20)
      """
    let load = Process()
    load.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    load.arguments = ["-c", program]
    try load.run()
    await daemon.untilRan("10-a memory-pressure start")
    folder.touch("enough")
    let hasEnded = await eventually { !load.isRunning }
    #expect(hasEnded && load.terminationStatus == 0)
    #expect(await eventually { rmdir(group) == 0 })
    #expect(
      ["some", "full"].contains(folder.ran.dropFirst().first.map { String($0.prefix(4)) } ?? ""), "\(folder.ran)")
    #expect(await daemon.stop() == .exited(0))
  }

  // MARK: Credentials

  @Test("credentials that can be read, and are renewed, run the hook, which finds them")
  func credentials() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "credentials", "cat $CREDENTIALS_DIRECTORY/key >>$TRACE")
    let secrets = folder.beside("secrets")
    #expect(mkdir(secrets, 0o700) == 0)
    try "old\n".write(toFile: "\(secrets)/key", atomically: true, encoding: .utf8)
    let daemon = try DaemonUnderTest(folder, environment: ["CREDENTIALS_DIRECTORY": secrets])
    try await daemon.ready()
    await daemon.untilRan("old")
    try "new\n".write(toFile: folder.beside("key"), atomically: true, encoding: .utf8)
    #expect(rename(folder.beside("key"), "\(secrets)/key") == 0)
    await daemon.untilRan("new")
    #expect(folder.ran == ["10-a credentials start", "old", "10-a credentials start", "new"])
    #expect(await daemon.stop() == .exited(0))
  }

  // MARK: Time

  @Test(
    "a time zone that is replaced by a rename runs the hook once", .enabled(if: geteuid() == 0, "needs root"))
  func zone() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "time-change", "echo $LIFECYCLE_TIME_CHANGE >>$TRACE")
    let etc = folder.beside("etc")
    #expect(mkdir(etc, 0o755) == 0)
    let move: (String) -> Void = { zone in
      symlink("/usr/share/zoneinfo/\(zone)", "\(etc)/new")
      rename("\(etc)/new", "\(etc)/localtime")
    }
    move("Europe/Berlin")
    let script = "mount --bind \(etc) /etc && exec \"$@\""
    let daemon = try DaemonUnderTest(
      folder, launcher: ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"])
    try await daemon.ready()
    #expect(await eventually { watches(etc, by: daemon) })
    move("Asia/Tokyo")
    await daemon.untilRan("zone")
    #expect(folder.ran == ["10-a time-change start", "zone"])
    #expect(await daemon.stop() == .exited(0))
  }

  // MARK: Signals

  @Test("a signal that a hook names runs it, with its name, its value and its sender; kill(2) brings no value")
  func signals() async throws {
    let folder = try HookFolder()
    try folder.hook(
      "10-a", on: "signal:RTMIN+5 signal:RTMIN+6",
      "echo \"$LIFECYCLE_SIGNAL:$LIFECYCLE_VALUE:$LIFECYCLE_SENDER_PID:$LIFECYCLE_SENDER_UID\" >>$TRACE")
    try folder.hook("20-b", on: "signal:RTMIN+6")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let sender = "\(getpid()):\(getuid())"
    var value = sigval()
    value.sival_int = -42
    #expect(sigqueue(daemon.processID, SignalSource.realtime(5), value) == 0)
    await daemon.untilRan("RTMIN+5:-42:\(sender)")
    daemon.signal(SignalSource.realtime(6))
    await daemon.untilRan("20-b signal:RTMIN+6 start")
    #expect(
      folder.ran == [
        "10-a signal:RTMIN+5 start", "RTMIN+5:-42:\(sender)", "10-a signal:RTMIN+6 start", "RTMIN+6::\(sender)",
        "20-b signal:RTMIN+6 start",
      ])
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("a hundred values that are queued come all; two threads may take two at once")
  func values() async throws {
    let folder = try HookFolder()
    try folder.write(
      "10-a.hook", "[Hook]\nOn=signal:RTMIN+5\nExec=/bin/sh -c 'echo $$LIFECYCLE_VALUE >>\(folder.tracePath)'\n")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    for number in 1...100 {
      var value = sigval()
      value.sival_int = Int32(number)
      #expect(sigqueue(daemon.processID, SignalSource.realtime(5), value) == 0)
    }
    #expect(await eventually { folder.ran.count == 100 })
    #expect(folder.ran.sorted() == (1...100).map(String.init).sorted())
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("a reload brings a hook another signal; one that no hook names any more ends nothing")
  func reload() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "signal:RTMIN+5")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.hook("10-a", on: "signal:RTMIN+6")
    try await daemon.reload()
    daemon.signal(SignalSource.realtime(5))
    daemon.signal(SignalSource.realtime(6))
    await daemon.untilRan("10-a signal:RTMIN+6 start")
    #expect(folder.ran == ["10-a signal:RTMIN+6 start"])
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("a stop waits for the signal's hook that runs, but not for forty that wait for their turn")
  func stop() async throws {
    let folder = try HookFolder()
    try folder.hook("05-b", on: "background stop")
    try folder.hook("10-s", on: "signal:RTMIN+5", "sleep 0.3")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    for number in 1...40 {
      #expect(sigqueue(daemon.processID, SignalSource.realtime(5), sigval(sival_int: Int32(number))) == 0)
    }
    await daemon.untilRan("10-s signal:RTMIN+5 start")
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran.suffix(2) == ["05-b background stop", "05-b stop stop"])
    #expect(folder.ran.count < 30, "\(folder.ran.count)")
    #expect(daemon.log.contains { $0.contains("the stop has begun: nobody is told of") })
  }

  @Test("a hook that fails on a signal degrades the service until it succeeds, with exit status 70 if it is required")
  func failing() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "signal:RTMIN+5", "exit $LIFECYCLE_VALUE", keys: "Required=no")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    for (number, status) in [(3, "STATUS=degraded: 10-a: exited 3"), (0, "STATUS=running")] {
      var value = sigval()
      value.sival_int = Int32(number)
      #expect(sigqueue(daemon.processID, SignalSource.realtime(5), value) == 0)
      try await daemon.told(status)
    }
    #expect(await daemon.stop() == .exited(0))
    try folder.hook("10-a", on: "signal:RTMIN+5", "exit $LIFECYCLE_VALUE", keys: "Required=yes")
    let strict = try DaemonUnderTest(folder)
    try await strict.ready()
    #expect(sigqueue(strict.processID, SignalSource.realtime(5), sigval(sival_int: 3)) == 0)
    try await strict.told("STATUS=degraded: 10-a: exited 3")
    #expect(await strict.stop() == .exited(70))
  }
}
