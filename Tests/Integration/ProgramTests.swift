/// Programs of a configuration, together with hooks.
import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Programs of a configuration", .timeLimit(.minutes(5)))
struct ProgramTests {
  let folder: HookFolder
  init() throws { folder = try HookFolder() }

  private static let forEver = "while True: time.sleep(1000)"

  /// Says when it starts and stops.
  private func code(_ name: String, _ more: String = "") -> String {
    """
    def term(*_): trace("\(name) stops"); sys.exit(0)
    signal.signal(signal.SIGTERM, term)
    trace("\(name) starts")
    \(more)
    notify("READY=1")
    \(Self.forEver)
    """
  }

  @Test("Programs and hooks start in one order, each when what is before it is ready, and stop in reverse")
  func order() async throws {
    try folder.program("10-db", code("db", "time.sleep(0.1); trace('db ready')"), keys: "Ready=notify")
    try folder.hook("20-migrate", on: "start stop")
    try folder.program("30-web", code("web"), keys: "Ready=notify")
    try folder.program("05-late", code("late"), keys: "Ready=notify\nAfter=30-web")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    #expect(
      folder.ran == ["db starts", "db ready", "20-migrate start start", "web starts", "late starts"])
    #expect(await eventually { daemon.messages.contains { $0.contains("10-db ready, 30-web ready, 05-late ready") } })
    folder.forget()
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["late stops", "web stops", "20-migrate stop stop", "db stops"])
  }

  @Test("A required program that dies for good stops the service with its status; an optional one degrades it")
  func dies() async throws {
    try folder.program("10-a", code("a"), keys: "Ready=notify")
    try folder.program("20-b", "notify('READY=1')\nwait_for('die')\nsys.exit(7)", keys: "Ready=notify")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    folder.touch("die")
    try await daemon.told("STOPPING=1")
    #expect(await daemon.ended() == .exited(7))
    #expect(folder.ran.last == "a stops")

    try FileManager.default.removeItem(atPath: folder.beside("die"))
    try folder.program("20-b", "notify('READY=1')\nwait_for('die')\nsys.exit(7)", keys: "Ready=notify\nRequired=no")
    let other = try DaemonUnderTest(folder)
    try await other.ready()
    folder.touch("die")
    #expect(await eventually { other.messages.contains { $0.contains("degraded: 20-b: exited 7") } })
    #expect(await other.stop() == .exited(0))
  }

  @Test("C13, C05: a program that dies again and again is started with growing pauses, and given up at the limit")
  func backoff() async throws {
    try folder.program(
      "10-a", "trace('starts')\nnotify('READY=1')\nnotify('RELOADING=1')\nsys.exit(3)",
      keys: "Ready=notify\nRestart=on-failure\nRestartSec=20ms\nStartLimitBurst=4")
    let daemon = try DaemonUnderTest(folder)
    #expect(await daemon.ended() == .exited(3))
    #expect(folder.ran.filter { $0 == "starts" }.count == 4)
    for pause in ["20ms", "40ms", "80ms"] { #expect(daemon.logs("starting again in \(pause)")) }
    #expect(daemon.logs("gave up after 4 starts in a row"))
  }

  @Test("B06: a stop in the pause before a restart ends the service at once")
  func stopInPause() async throws {
    try folder.program(
      "10-a", "notify('READY=1')\nsys.exit(3)",
      keys: "Ready=notify\nRestart=always\nRestartSec=1h\nRestartMaxDelaySec=2h")
    let daemon = try DaemonUnderTest(folder)
    await daemon.untilLogged("starting again in 1h")
    let began = ContinuousClock.now
    #expect(await daemon.stop() == .exited(0))
    #expect(ContinuousClock.now - began < .seconds(5))
  }

  @Test("C17: a program that is TERMed before us, and with us, has not crashed")
  func together() async throws {
    try folder.program(
      "10-a", "notify('READY=1')\n\(Self.forEver)", keys: "Ready=notify\nRestart=always\nNotifyAccess=main")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    for pid in processes(with: folder.beside("program-")) where pid != daemon.processID { kill(pid, SIGTERM) }
    daemon.signal(SIGTERM)
    #expect(await daemon.ended() == .exited(0))
    #expect(!daemon.logs("starting again"))
  }

  @Test("A reload starts new programs, stops those that are gone, and starts changed ones anew; the others go on")
  func reload() async throws {
    try folder.program("10-same", code("same"), keys: "Ready=notify")
    try folder.program("20-gone", code("gone"), keys: "Ready=notify")
    try folder.program("30-other", code("other"), keys: "Ready=notify")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    folder.forget()
    try folder.remove("20-gone.process")
    try folder.program("30-other", code("another"), keys: "Ready=notify")
    try folder.program("40-new", code("new"), keys: "Ready=notify")
    try await daemon.reload()
    #expect(await eventually { folder.ran.contains("new starts") && folder.ran.contains("gone stops") })
    #expect(folder.ran.filter { $0.hasPrefix("o") || $0.hasPrefix("a") } == ["other stops", "another starts"])
    #expect(!folder.ran.contains { $0.hasPrefix("same") })
    #expect(await daemon.stop() == .exited(0))
    #expect(Set(folder.ran.suffix(3)) == ["same stops", "another stops", "new stops"])
  }

  @Test("The commands of a reload and of a stop are told which of the two it is")
  func reasons() async throws {
    let exec = "/bin/sh -c 'echo $LIFECYCLE_EVENT because of $LIFECYCLE_REASON >>\(folder.tracePath)'"
    try folder.program("10-a", code("a"), keys: "Ready=notify\nReloadExec=\(exec)\nStopExec=\(exec)")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try await daemon.reload()
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["a starts", "reload because of reload", "stop because of stop", "a stops"])
  }

  @Test("A changed program that does not become ready is a failed reload, and the old one comes back")
  func failedReload() async throws {
    try folder.program("10-a", code("old"), keys: "Ready=notify")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    folder.forget()
    try folder.program("10-a", "trace('new starts')\nsys.exit(5)", keys: "Ready=notify")
    let end = try await daemon.reload()
    #expect(end.text.contains("STATUS=reload failed: 10-a: ended before it was ready, exit 5"))
    #expect(folder.ran == ["old stops", "new starts", "old starts"])
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("Health: as many failures as the threshold says, then a restart, and the reason is told")
  func health() async throws {
    let sick = folder.beside("sick")
    try folder.program(
      "10-a", code("a"),
      keys:
        "Ready=notify\nHealth=exec /bin/sh -c 'test ! -e \(sick)'\nHealthIntervalSec=50ms\nHealthThreshold=2\nRestart=on-failure"
    )
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    folder.touch("sick")
    await daemon.untilLogged("unhealthy: exited 1")
    try FileManager.default.removeItem(atPath: sick)
    #expect(await eventually { folder.ran.filter { $0 == "a starts" }.count == 2 })
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("F11: a program of another user has that user's names and groups, and its messages count")
  func user() async throws {
    try #require(getuid() == 0, "run as root")
    let words = [
      "import os, socket, time", "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
      "a = chr(0) + os.environ['NOTIFY_SOCKET'][1:]",
      "who = '%d %s %s %s' % (os.getuid(), os.environ['USER'], os.environ['HOME'], os.getgroups())",
      "s.sendto(('STATUS=' + who).encode(), a)", "s.sendto(b'READY=1', a)", "time.sleep(1000)",
    ].joined(separator: "; ")
    try folder.write(
      "10-a.process",
      "[Process]\nExec=/usr/bin/python3 -c \"\(words.replacingOccurrences(of: "%", with: "%%"))\"\nUser=nobody\nReady=notify\n"
    )
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    #expect(await eventually { daemon.messages.contains { $0.contains("65534 nobody /nonexistent") } })
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("READY is not told for a program whose user or program is not there, and the reason is")
  func notThere() async throws {
    for (keys, reason) in [
      ("Exec=/bin/sleep 1000\nUser=no-such-user", "there is no user no-such-user"),
      ("Exec=/no/such/program\nUser=nobody", "cannot run /no/such/program: No such file or directory"),
      ("Exec=/no/such/program", "cannot run /no/such/program: No such file or directory"),
    ] {
      try folder.write("10-a.process", "[Process]\n\(keys)\n")
      let daemon = try DaemonUnderTest(folder)
      #expect(await daemon.ended() == .exited(69))
      #expect(daemon.messages.contains { $0.contains("STATUS=start failed: 10-a: \(reason)") }, "\(daemon.log)")
      #expect(!daemon.messages.contains { $0.contains("READY=1") })
    }
  }

  @Test("When the time of the stop is over, or a third signal ends us at once, no program survives", arguments: [1, 3])
  func noTimeLeft(signals: Int) async throws {
    let mark = "deaf-\(UInt32.random(in: 0 ... .max))"
    for name in ["10-a", "20-b"] {
      try folder.write(
        "\(name).process",
        "[Process]\nExec=/bin/sh -c \"trap '' TERM; while :; do sleep 0.1; done; : \(mark)\"\nTimeoutStopSec=1min\n")
    }
    try folder.write("lifecycled.conf", "[Lifecycle]\nTimeoutStopSec=2\n")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    #expect(processes(with: mark).count >= 2)
    daemon.signal(SIGTERM)
    try await daemon.told("STOPPING=1")
    for count in 1..<max(signals, 1) {
      daemon.signal(SIGTERM)
      // Signals of one number that come at once are one.
      _ = await eventually { daemon.log.filter { $0.contains("received SIGTERM") }.count > count }
    }
    #expect(await daemon.ended() == .exited(signals == 3 ? 128 + SIGTERM : 75))
    #expect(await eventually { processes(with: mark).isEmpty })
  }

  @Test("At a third stop signal the hook that runs is killed, too")
  func noTimeForHooks() async throws {
    try folder.hook("10-a", on: "stop", "trap '' TERM INT HUP\nwhile :; do sleep 0.1; done")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    daemon.signal(SIGTERM)
    await daemon.untilRan("10-a stop stop")
    for number in [2, 3] {
      daemon.signal(SIGTERM)
      // Signals of one number that come at once are one.
      _ = await eventually { daemon.log.filter { $0.contains("received SIGTERM") }.count >= number }
    }
    #expect(await daemon.ended() == .exited(128 + SIGTERM))
    #expect(await eventually { processes(with: folder.beside("scripts")).isEmpty })
  }

  @Test("A program's status that would be ours to say, 78 for instance, keeps nobody from starting the service again")
  func ownStatus() async throws {
    try folder.program("10-a", "notify('READY=1')\nsys.exit(78)", keys: "Ready=notify")
    #expect(await (try DaemonUnderTest(folder)).ended() == .exited(70))
  }

  @Test("A reload that runs out of time brings the old definition back, and the next one works")
  func reloadTimesOut() async throws {
    try folder.program("10-a", code("old"), keys: "Ready=notify")
    try folder.write("lifecycled.conf", "[Lifecycle]\nTimeoutReloadSec=1\n")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.program("10-a", "trace('new starts')\n\(Self.forEver)", keys: "Ready=notify")
    let end = try await daemon.reload()
    #expect(end.text.contains("STATUS=reload failed: 10-a: "))
    #expect(
      await eventually { folder.ran == ["old starts", "old stops", "new starts", "old starts"] }, "\(folder.ran)")
    try folder.program("10-a", code("newer"), keys: "Ready=notify")
    let next = try await daemon.reload()
    #expect(!next.text.contains("failed"), "\(next.text)")
    #expect(folder.ran.last == "newer starts")
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran.last == "newer stops")
  }

  @Test("Programs that are replaced again and again leave no descriptor behind")
  func descriptors() async throws {
    try folder.program("10-a", code("a0"), keys: "Ready=notify")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    func count() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.processID)/fd").count
    }
    var counts: [Int] = []
    for round in 1...12 {
      try folder.program("10-a", code("a\(round)"), keys: "Ready=notify")
      try await daemon.reload()
      counts.append(try count())
    }
    #expect(counts[11] <= counts[1] + 2, "\(counts)")
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("Two hundred programs start, are ready, reload, and stop; nobody is left")
  func many() async throws {
    // Decimals are for sleep(1) to read, and tell these from everybody else's.
    let mark = "1000.\(UInt32.random(in: 1_000_000 ... .max))"
    func write(_ number: Int, _ generation: Int) throws {
      try folder.write("\(100 + number).process", "[Process]\nExec=/bin/sleep \(mark)\(generation)\n")
    }
    for number in 0..<200 { try write(number, 1) }
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let before = Set(processes(with: mark))
    #expect(before.count == 200)
    for number in 0..<10 { try write(number, 2) }
    try await daemon.reload()
    #expect(processes(with: mark + "2").count == 10)
    let same = Set(processes(with: mark + "1"))
    #expect(same.count == 190 && same.isSubset(of: before))
    #expect(await daemon.stop() == .exited(0))
    #expect(processes(with: mark).isEmpty)
  }
}
