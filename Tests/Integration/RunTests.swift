/// One program under `lifecycled run`.
import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("lifecycled run", .timeLimit(.minutes(5)))
struct RunTests {
  let folder: HookFolder
  init() throws { folder = try HookFolder() }

  private static let forEver = "while True: time.sleep(1000)"

  // MARK: Its end

  @Test("C18: what it exits with when the program ends by itself, and by a signal", arguments: [0, 1, 3, 127, 255])
  func status(status: Int32) async throws {
    let run = try DaemonUnderTest.run(folder, [], ["/bin/sh", "-c", "exit \(status)"])
    #expect(await run.ended() == .exited(status))
    let killed = try DaemonUnderTest.run(folder, [], ["/bin/sh", "-c", "kill -SEGV $$"])
    #expect(await killed.ended() == .exited(128 + SIGSEGV))
  }

  @Test("C18: after a stop 0 if the program exited 0 or died by our signal, its own otherwise; raw is always its own")
  func stopStatus() async throws {
    let cases: [(String, [String], Int32)] = [
      (Self.forEver, [], 0), (Self.forEver, ["--exit-status=raw"], 128 + SIGTERM),
      ("signal.signal(15, lambda *_: sys.exit(3))\ntrace('up')\n\(Self.forEver)", [], 3),
      ("signal.signal(15, lambda *_: sys.exit(143))\ntrace('up')\n\(Self.forEver)", [], 0),
      ("signal.signal(15, lambda *_: sys.exit(0))\ntrace('up')\n\(Self.forEver)", [], 0),
    ]
    for (code, options, expected) in cases {
      folder.forget()
      let run = try DaemonUnderTest.run(folder, options, try folder.python(code))
      try await run.ready()
      if code.contains("trace") { await run.untilRan("up") }
      #expect(await run.stop() == .exited(expected), "\(code) \(options)")
      #expect(run.messages.filter { $0.hasPrefix("STOPPING=1") }.count == 1)
    }
  }

  @Test("C12: of a tree of three levels, one of them in a session of its own, nobody survives the stop")
  func tree() async throws {
    let mark = "tree-\(UInt32.random(in: 0 ... .max))"
    let script =
      "sh -c 'sh -c \"sleep 1000; : \(mark)\"; : \(mark)' & setsid sleep 1000.\(mark.count) & echo up; wait; : \(mark)"
    let run = try DaemonUnderTest.run(folder, ["--ready=log:up"], ["/bin/sh", "-c", script])
    try await run.ready()
    #expect(processes(with: mark).count >= 3)
    #expect(await run.stop() == .exited(0))
    #expect(processes(with: mark).isEmpty)
  }

  @Test("F13: when the program is gone after 50 ms, so are we soon after")
  func quick() async throws {
    let run = try DaemonUnderTest.run(
      folder, ["--ready=log:up"],
      try folder.python(
        "signal.signal(15, lambda *_: (time.sleep(0.05), sys.exit(0)))\nprint('up', flush=True)\n\(Self.forEver)"))
    try await run.ready()
    let began = ContinuousClock.now
    #expect(await run.stop() == .exited(0))
    #expect(ContinuousClock.now - began < .seconds(2))
  }

  @Test("A program that heeds no TERM is killed when its time is over")
  func deaf() async throws {
    let run = try DaemonUnderTest.run(
      folder, ["--ready=log:up", "--stop-timeout=300ms"],
      try folder.python("signal.signal(15, signal.SIG_IGN)\nprint('up', flush=True)\n\(Self.forEver)"))
    try await run.ready()
    #expect(await run.stop() == .exited(128 + SIGKILL))
  }

  // MARK: Readiness

  @Test("C01: a program whose first act is READY=1 is never missed")
  func first() async throws {
    let words = try folder.python("notify('READY=1')\n\(Self.forEver)")
    for _ in 0..<10 {
      let run = try DaemonUnderTest.run(folder, ["--ready=notify"], words)
      try await run.ready()
      #expect(await run.stop() == .exited(0))
    }
  }

  @Test("C02: a program that never says READY=1 is named when its time is over, and a stop is heard meanwhile")
  func never() async throws {
    let words = try folder.python(Self.forEver)
    let run = try DaemonUnderTest.run(folder, ["--ready=notify", "--ready-timeout=400ms", "--name=web"], words)
    #expect(await run.ended() == .exited(128 + SIGTERM))
    #expect(run.messages.contains { $0.contains("STATUS=start failed: web: not ready after 400ms") })
    #expect(!run.messages.contains { $0.contains("READY=1") })
    let stopped = try DaemonUnderTest.run(folder, ["--ready=notify"], words)
    await stopped.untilLogged("didFinishLaunching")
    #expect(await stopped.stop() == .exited(0))
  }

  @Test("F07: a program that ends well before it was ready has failed")
  func endedBeforeReady() async throws {
    let run = try DaemonUnderTest.run(folder, ["--ready=notify", "--name=web"], ["/bin/true"])
    #expect(await run.ended() == .exited(69))
    #expect(run.log.contains("<3>program web: ended before it was ready, exit 0"))
  }

  @Test("A descriptor for readiness that is closed without a line is a failure at once; that of an end is its status")
  func closedDescriptor() async throws {
    let closed = try DaemonUnderTest.run(
      folder, ["--ready=fd:7", "--ready-timeout=1h", "--name=web"], try folder.python("os.close(7)\n\(Self.forEver)"))
    await closed.untilLogged("<3>program web: fd:7 was closed without a line")
    #expect(await closed.ended() == .exited(128 + SIGTERM))
    let ended = try DaemonUnderTest.run(folder, ["--ready=fd:7", "--name=web"], try folder.python("sys.exit(3)"))
    #expect(await ended.ended() == .exited(3))
    #expect(ended.log.contains("<3>program web: ended before it was ready, exit 3"))
  }

  @Test("F12: a program that goes into the background is told so, and nobody survives")
  func background() async throws {
    let mark = "background-\(UInt32.random(in: 0 ... .max))"
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify"], ["/bin/sh", "-c", "setsid sh -c 'sleep 1000; : \(mark)' & exit 0"])
    _ = await run.ended()
    #expect(run.logs("went into the background"))
    #expect(processes(with: mark).isEmpty)
  }

  @Test("F01: a port that opens after 120 ms is found at most a little later")
  func port() async throws {
    let code = """
      s = socket.socket(); s.bind(("127.0.0.1", 0)); port = s.getsockname()[1]
      open("\(folder.beside("port"))", "w").write(str(port))
      wait_for("go"); s.listen(5); trace("listens")
      \(Self.forEver)
      """
    // The port has to be known before: bound here, and given on.
    let words = try folder.python(
      code.replacingOccurrences(of: "(\"127.0.0.1\", 0)", with: "(\"127.0.0.1\", int(sys.argv[1]))"))
    let port = try freePort()
    let run = try DaemonUnderTest.run(folder, ["--ready=tcp:127.0.0.1:\(port)"], words + ["\(port)"])
    await run.untilLogged("didFinishLaunching")
    #expect(!run.messages.contains { $0.contains("READY=1") })
    folder.touch("go")
    try await run.ready()
    #expect(folder.ran.contains("listens"))
    #expect(await run.stop() == .exited(0))
  }

  private func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(descriptor, raw, size) == 0 && getsockname(descriptor, raw, &size) == 0
      }
    }
    try #require(bound)
    return UInt16(bigEndian: address.sin_port)
  }

  @Test("Readiness by a line, a file, a socket, a descriptor, a command and a time")
  func kinds() async throws {
    let file = folder.beside("there")
    let kinds = [
      ("log:^ready [0-9]+$", "print('ready 7', flush=True)"), ("file:\(file)", "open('\(file)', 'w')"),
      ("unix:\(file).sock", "s = socket.socket(socket.AF_UNIX); s.bind('\(file).sock'); s.listen(1)"),
      ("fd:7", "os.write(7, b'x' + bytes([10])); os.close(7)"),
      ("exec test -e \(file).cmd", "open('\(file).cmd', 'w')"),
      ("delay:10ms", ""),
    ]
    for (check, code) in kinds {
      let run = try DaemonUnderTest.run(
        folder, ["--ready=\(check)"], try folder.python("wait_for('go')\n\(code)\n\(Self.forEver)"))
      await run.untilLogged("didFinishLaunching")
      if !check.hasPrefix("delay") { #expect(!run.messages.contains { $0.contains("READY=1") }, "\(check)") }
      folder.touch("go")
      try await run.ready()
      #expect(await run.stop() == .exited(0), "\(check)")
      try? FileManager.default.removeItem(atPath: folder.beside("go"))
    }
  }

  @Test("A pattern that takes for ever ends neither the time for readiness nor the stop")
  func pattern() async throws {
    let run = try DaemonUnderTest.run(
      folder, ["--ready=log:(a+)+$", "--ready-timeout=500ms"],
      try folder.python("print('a' * 40 + 'b', flush=True)\n\(Self.forEver)"))
    await run.untilLogged("not ready after 500ms")
    _ = await run.ended()
  }

  @Test("EXTEND_TIMEOUT_USEC= makes the time longer, and never shorter")
  func extends() async throws {
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify", "--ready-timeout=1"],
      try folder.python(
        "notify('EXTEND_TIMEOUT_USEC=0')\nnotify('EXTEND_TIMEOUT_USEC=10')\ntime.sleep(0.3)\n"
          + "notify('EXTEND_TIMEOUT_USEC=20000000')\ntime.sleep(1.2)\nnotify('READY=1')\n\(Self.forEver)"))
    try await run.ready()
    #expect(await run.stop() == .exited(0))
  }

  // MARK: What it says

  @Test("F08, C06: a grandchild's message is refused with NotifyAccess=main, and accepted with all; MAINPID never is")
  func access() async throws {
    let words = try folder.python(
      "if len(sys.argv) > 1: notify('READY=1' + chr(10) + 'MAINPID=1'); sys.exit(0)\n"
        + "subprocess.run([sys.executable, sys.argv[0], 'x'])\ntrace('sent')\n\(Self.forEver)")
    let main = try DaemonUnderTest.run(folder, ["--ready=notify", "--notify-access=main"], words)
    await main.untilLogged("NotifyAccess=main")
    #expect(!main.messages.contains { $0.contains("READY=1") })
    _ = await main.stop()
    let all = try DaemonUnderTest.run(folder, ["--ready=notify", "--notify-access=all"], words)
    try await all.ready()
    await all.untilLogged("refused MAINPID=")
    #expect(await all.stop() == .exited(0))
    #expect(!all.allMessages.contains { $0.contains("MAINPID") })
  }

  @Test("C08: what the program says of itself is STATUS, whenever it says so; F18: escapes are shown")
  func says() async throws {
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify"],
      try folder.python(
        "notify('READY=1')\nwait_for('go')\nnotify(b'STATUS=3 clients ' + bytes([27]) + b'[2J')\n"
          + "print('<0>x' + chr(13) + chr(27) + '[2J', flush=True)\n\(Self.forEver)"))
    try await run.ready()
    folder.touch("go")
    #expect(await eventually { run.messages.contains { $0.contains("3 clients") } })
    #expect(!run.messages.contains { $0.contains("\u{1B}") })
    await run.untilLogged("<0>x\\x0d\\x1b[2J")
    #expect(!run.rawLog.contains(0x1B))
    #expect(await run.stop() == .exited(0))
  }

  @Test("A program that says STOPPING=1 begins the stop of the service")
  func stops() async throws {
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify"],
      try folder.python("notify('READY=1')\nwait_for('go')\nnotify('STOPPING=1')\ntime.sleep(0.2)\nsys.exit(0)"))
    try await run.ready()
    folder.touch("go")
    try await run.told("STOPPING=1")
    #expect(await run.ended() == .exited(0))
  }

  @Test("C10, A14: the program's signals, descriptors and environment are its own")
  func context() async throws {
    let run = try DaemonUnderTest.run(
      folder, [],
      [
        "/bin/sh", "-c",
        "grep -E '^Sig(Blk|Ign)' /proc/self/status; env | grep -cE '^(NOTIFY_SOCKET|WATCHDOG_|LISTEN_)'; ls /proc/self/fd",
      ], environment: ["WATCHDOG_USEC": "90000000", "LISTEN_FDS": "0"])
    #expect(await run.ended() == .exited(0))
    #expect(run.logs("SigBlk:\t0000000000000000") || run.logs("SigBlk:\\t0000000000000000"))
    #expect(run.log.contains { $0.hasSuffix("0") })
    #expect(!run.log.contains { $0.hasSuffix(": 4") }, "0 to 2, and 3 is the folder that ls reads")
  }

  // MARK: Signals

  @Test("Signals that mean nothing to lifecycled reach the program, also while it starts and while it stops")
  func forwarded() async throws {
    let code = """
      for number in [signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT, signal.SIGRTMIN + 5]:
        signal.signal(number, lambda n, _: trace('signal %d' % n))
      signal.signal(15, lambda *_: (trace('stops'), wait_for('end'), sys.exit(0)))
      trace('up')
      wait_for('go')
      notify('READY=1')
      \(Self.forEver)
      """
    let run = try DaemonUnderTest.run(folder, ["--ready=notify"], try folder.python(code))
    await run.untilRan("up")
    for phase in ["starting", "ready", "stopping"] {
      folder.forget()
      for number: Int32 in [SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT, 34 + 5] {
        run.signal(number)
        await run.untilRan("signal \(number)")
      }
      if phase == "starting" {
        folder.touch("go")
        try await run.ready()
      } else if phase == "ready" {
        run.signal(SIGTERM)
        await run.untilRan("stops")
      }
    }
    folder.touch("end")
    #expect(await run.ended() == .exited(0))
  }

  @Test("A reload by signal is waited for; F19: one that the program does not catch is refused, and it lives")
  func reload() async throws {
    let code = """
      def hup(*_):
        notify('RELOADING=1'); time.sleep(0.2); trace('reloaded'); notify('READY=1')
      signal.signal(signal.SIGHUP, hup)
      notify('READY=1')
      \(Self.forEver)
      """
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify", "--reload-signal=HUP"], try folder.python(code))
    try await run.ready()
    try await run.reload()
    #expect(folder.ran == ["reloaded"])
    #expect(await run.stop() == .exited(0))

    let deaf = try DaemonUnderTest.run(
      folder, ["--ready=notify", "--reload-signal=HUP"], try folder.python("notify('READY=1')\n\(Self.forEver)"))
    try await deaf.ready()
    let end = try await deaf.reload()
    #expect(end.text.contains("it has no handler for SIGHUP"))
    #expect(await deaf.stop() == .exited(0))
  }

  @Test("C09: when the program's pings stop, so do ours")
  func pings() async throws {
    let code = """
      notify('READY=1')
      while not os.path.exists("\(folder.beside("stop"))"): notify('WATCHDOG=1'); time.sleep(0.05)
      trace('no more')
      \(Self.forEver)
      """
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify"], try folder.python(code), environment: ["WATCHDOG_USEC": "600000"])
    try await run.ready()
    _ = await eventually { run.allMessages.filter { $0.contains("WATCHDOG=1") }.count >= 3 }
    folder.touch("stop")
    await run.untilRan("no more")
    #expect(await eventually { run.messages.contains { $0.contains("no WATCHDOG=1 for 600ms") } })
    #expect(await run.stop() == .exited(0))
  }

  // MARK: As the first process

  @Test("C11, B10: as pid 1 it reaps orphans, and TERM is an ordered stop with the program's own status")
  func first1() async throws {
    let code = """
      for i in range(50):
        subprocess.run(["/bin/sh", "-c", "(sleep 0.01 &) ; (true &)"])
      time.sleep(0.5)
      zombies = [p for p in os.listdir("/proc") if p.isdigit() and open("/proc/" + p + "/stat").read().split(")")[1].split()[0] == "Z"]
      trace('zombies %d' % len(zombies))
      signal.signal(15, lambda *_: sys.exit(4))
      \(Self.forEver)
      """
    let run = try DaemonUnderTest.run(
      folder, [], try folder.python(code),
      launcher: ["/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "--kill-child"])
    try await run.ready()
    await run.untilRan("zombies 0")
    let first = try #require(children(of: run.processID).first)
    kill(first, SIGTERM)
    #expect(await run.ended() == .exited(4))
  }

  private func children(of pid: Int32) -> [Int32] {
    let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
    if let text { return text.split(separator: " ").compactMap { Int32($0) } }
    return ProcessTable.now().entries.values.filter { $0.parent == pid }.map(\.pid)
  }
}
