/// Cases of programs: how they become ready, how they end, and what lifecycled leaves alone.
import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Cases of programs", .timeLimit(.minutes(5)))
struct ProgramCaseTests {
  let folder: HookFolder
  init() throws { folder = try HookFolder() }

  private static let forEver = "while True: time.sleep(1000)"

  // MARK: Readiness

  @Test("A06, A07: of two programs one is not ready: no READY, and STATUS names it; READY comes when it is")
  func oneIsNotReady() async throws {
    try folder.program("10-a", "notify('READY=1')\n\(Self.forEver)", keys: "Ready=notify")
    try folder.program("20-b", "wait_for('go')\nnotify('READY=1')\n\(Self.forEver)", keys: "Ready=notify")
    let daemon = try DaemonUnderTest(folder)
    // What is on its way is told with the request to wait.
    #expect(await eventually { daemon.allMessages.contains { $0.contains("STATUS=") && $0.contains("20-b") } })
    #expect(!daemon.messages.contains { $0.contains("READY=1") })
    folder.touch("go")
    try await daemon.ready()
    #expect(await daemon.stop() == .exited(0))
  }

  @Test(
    "F02: localhost counts with a server on ::1 only, on 127.0.0.1 only, and where there is no IPv6",
    arguments: [("::1", true), ("127.0.0.1", true), ("127.0.0.1", false)])
  func localhost(address: String, hasIPv6: Bool) async throws {
    try #require(getuid() == 0, "run as root")
    // A network and names of its own: each port is free, and IPv6 is ours to switch off.
    let names = folder.beside("hosts")
    try "127.0.0.1 localhost\n::1 localhost\n".write(toFile: names, atomically: true, encoding: .utf8)
    let network = """
      ip link set lo up; echo \(hasIPv6 ? 0 : 1) >/proc/sys/net/ipv6/conf/all/disable_ipv6
      mount --bind \(names) /etc/hosts; exec "$0" "$@"
      """
    let family = address == "::1" ? "socket.AF_INET6" : "socket.AF_INET"
    let code = "wait_for('go'); s = socket.socket(\(family)); s.bind(('\(address)', 7777)); s.listen(5)"
    let run = try DaemonUnderTest.run(
      folder, ["--ready=tcp:localhost:7777"], try folder.python("\(code)\n\(Self.forEver)"),
      launcher: ["/usr/bin/unshare", "--net", "--mount", "/bin/sh", "-c", network])
    await run.untilLogged("didFinishLaunching")
    #expect(!run.messages.contains { $0.contains("READY=1") })
    folder.touch("go")
    try await run.ready()
    #expect(await run.stop() == .exited(0))
  }

  // MARK: Health

  @Test(
    "F05, A13: a check that fails, or hangs: its reason is in STATUS and log, and the pings end", arguments: [0, 1])
  func unwell(hangs: Int) async throws {
    let sick = folder.beside("sick")
    let check =
      "Health=exec /bin/sh -c 'test -e \(sick) || exit 0; echo no disk; test \(hangs) = 0 || sleep 1000; exit 3'"
    try folder.program(
      "10-a", "notify('READY=1')\n\(Self.forEver)",
      keys: "Ready=notify\n\(check)\nHealthIntervalSec=100ms\nHealthThreshold=1")
    let daemon = try DaemonUnderTest(folder, environment: ["WATCHDOG_USEC": "2000000"])
    try await daemon.ready()
    try await daemon.told("WATCHDOG=1")
    folder.touch("sick")
    let reason = hangs == 0 ? "exited 3: no disk" : "timed out"
    #expect(
      await eventually { daemon.messages.contains { $0.contains("STATUS=unhealthy: 10-a") && $0.contains(reason) } },
      "\(daemon.messages)")
    await daemon.untilLogged("10-a is unwell: ")
    #expect(daemon.log.contains { $0.contains("10-a is unwell") && $0.contains(reason) }, "\(daemon.log)")
    #expect(await daemon.stop() == .exited(0))
  }

  // MARK: Its end

  /// The quickest of a few runs: what it takes when nobody is in the way.
  private func quickest(_ runs: Int = 5, under limit: Duration, _ run: () async throws -> Duration) async throws {
    var times: [Duration] = []
    for _ in 0..<runs where !times.contains(where: { $0 < limit }) { times.append(try await run()) }
    #expect(times.contains { $0 < limit }, "\(times)")
  }

  @Test("B06: SIGTERM in the pause before a restart ends lifecycled within 100 ms")
  func stopInPause() async throws {
    try folder.program(
      "10-a", "notify('READY=1')\nsys.exit(3)",
      keys: "Ready=notify\nRestart=always\nRestartSec=1h\nRestartMaxDelaySec=2h")
    try await quickest(under: .milliseconds(100)) {
      let daemon = try DaemonUnderTest(folder)
      await daemon.untilLogged("starting again in 1h")
      let began = ContinuousClock.now
      #expect(await daemon.stop() == .exited(0))
      return ContinuousClock.now - began
    }
  }

  @Test("F13: a program that is gone after 50 ms of its stop lets lifecycled end within 200 ms")
  func quickStop() async throws {
    let code = "signal.signal(15, lambda *_: (time.sleep(0.05), sys.exit(0)))\nnotify('READY=1')\n\(Self.forEver)"
    let words = try folder.python(code)
    try await quickest(under: .milliseconds(200)) {
      let run = try DaemonUnderTest.run(folder, ["--ready=notify", "--stop-timeout=10"], words)
      try await run.ready()
      let began = ContinuousClock.now
      #expect(await run.stop() == .exited(0))
      return ContinuousClock.now - began
    }
  }

  @Test(
    "C16: with a log that nobody reads any more, or that is closed, lifecycled and the program go on",
    arguments: ["2>&-", "2> >(exit 0)", "2>/dev/full", "2> >(head -n 1 >/dev/null)"])
  func lostLog(redirection: String) async throws {
    let code = """
      signal.signal(signal.SIGUSR1, lambda *_: trace('heard'))
      notify('READY=1')
      for _ in range(100): print('x' * 1000, flush=True)
      trace('printed')
      """
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify"], try folder.python("\(code)\n\(Self.forEver)"),
      launcher: ["/bin/bash", "-c", "exec \"$0\" \"$@\" \(redirection)"])
    try await run.ready()
    await run.untilRan("printed")
    run.signal(SIGUSR1)
    await run.untilRan("heard")
    #expect(await run.stop() == .exited(0))
  }

  // MARK: What is not lifecycled's

  @Test("C15, C19: a stale pid file with a stranger's number means nothing, and no file is removed")
  func filesStay() async throws {
    let stranger = try DaemonUnderTest(folder, manager: nil, command: ["run", "--", "/bin/sleep", "1000"])
    await stranger.untilLogged("didBecomeActive")
    try folder.write("10-a.pid", "\(stranger.processID)\n")
    try folder.program("10-a", "notify('READY=1')\n\(Self.forEver)", keys: "Ready=notify")
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    #expect(await daemon.stop() == .exited(0))
    #expect(kill(stranger.processID, 0) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
    #expect(try String(contentsOfFile: "\(folder.path)/10-a.pid", encoding: .utf8) == "\(stranger.processID)\n")
    #expect(await stranger.stop() == .exited(0))
  }

  @Test(
    "F20: run as root, a program's file that others may write is refused by name",
    .enabled(if: geteuid() == 0, "needs root"), arguments: ["10-a.process", "10-a.process.d/more.conf", ""])
  func writableByOthers(name: String) async throws {
    try folder.program("10-a", "notify('READY=1')\n\(Self.forEver)", keys: "Ready=notify")
    try folder.write("10-a.process.d/more.conf", "[Process]\nReadyTimeoutSec=9\n")
    try await folder.isRefused(whenOthersMayWrite: name)
  }

  // MARK: Time

  @Test("F10: no timer of a start, of a pause before a restart, or of a stop counts on the wall clock")
  func clocks() async throws {
    try folder.program(
      "10-a", "notify('READY=1')\nsys.exit(3)",
      keys: "Ready=notify\nRestart=always\nRestartSec=1h\nRestartMaxDelaySec=2h")
    try folder.program(
      "20-b", "signal.signal(15, signal.SIG_IGN)\ntrace('up')\n\(Self.forEver)",
      keys: "Ready=notify\nReadyTimeoutSec=1h\nTimeoutStopSec=1h")
    let daemon = try DaemonUnderTest(folder)
    await daemon.untilLogged("starting again in 1h")
    await daemon.untilRan("up")
    expectNoWallClock(daemon)
    daemon.signal(SIGTERM)
    try await daemon.told("STOPPING=1")
    expectNoWallClock(daemon)
  }

  /// By what the kernel says of each timer, timerfd_create(2): 0 would be CLOCK_REALTIME, and 8 its alarm.
  private func expectNoWallClock(_ daemon: DaemonUnderTest, sourceLocation: SourceLocation = #_sourceLocation) {
    let folder = "/proc/\(daemon.processID)/fdinfo"
    let texts = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap {
      try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
    }
    let clocks = texts.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("clockid:") }
      .map { $0.dropFirst(8).trimmingCharacters(in: .whitespaces) }
    #expect(!clocks.isEmpty && Set(clocks).isSubset(of: ["1", "7"]), "\(clocks)", sourceLocation: sourceLocation)
  }
}
