/// What lifecycled tells a watchdog, and how hooks check the health of a service.
import Foundation
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Health and the watchdog", .timeLimit(.minutes(5)))
struct HealthTests {
  private static let watchdog = ["WATCHDOG_USEC": "1000000"]

  private func daemon(
    _ folder: HookFolder, settings: String = "", environment: [String: String] = watchdog
  ) throws -> DaemonUnderTest {
    try folder.write("lifecycled.conf", "[Lifecycle]\n\(settings)\n")
    return try DaemonUnderTest(folder, environment: environment)
  }

  private func pings(_ daemon: DaemonUnderTest) -> Int { daemon.messages.filter { $0 == "WATCHDOG=1" }.count }

  /// Waits until the trace has so many more lines: a hook that is run at an interval is the clock of these tests.
  private func runs(_ count: Int, more folder: HookFolder) async -> Bool {
    let before = folder.ran.count
    return await eventually { folder.ran.count >= before + count }
  }

  private func isAlive(_ folder: HookFolder) -> Bool {
    let text = (try? String(contentsOfFile: folder.beside("pid"), encoding: .utf8)) ?? ""
    guard let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else { return false }
    let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ") Z "
    return !stat.contains(") Z ")
  }

  // MARK: The watchdog

  @Test(
    "A12: with a watchdog of 5 s the first ping comes at once after READY, the next before half of it, none at last")
  func firstPing() async throws {
    let daemon = try daemon(try HookFolder(), environment: ["WATCHDOG_USEC": "5000000"])
    try await daemon.ready()
    #expect(await daemon.manager?.next()?.text == "WATCHDOG=1")
    let began = ContinuousClock.now
    try await daemon.told("WATCHDOG=1")
    #expect(began.duration(to: .now) < .milliseconds(2500))
    #expect(await daemon.stop() == .exited(0))
    #expect(daemon.messages.last == "STOPPING=1\nSTATUS=stopping")
  }

  @Test("A watchdog of half a second is pinged in time, also while a reload and a pause are under way")
  func subSecond() async throws {
    let folder = try HookFolder()
    try folder.hook("10-slow", on: "reload background foreground", "sleep 0.7")
    let daemon = try daemon(folder, environment: ["WATCHDOG_USEC": "500000"])
    try await daemon.ready()
    let (began, first) = (ContinuousClock.now, pings(daemon))
    try await daemon.reload()
    daemon.signal(SIGUSR1)
    try await daemon.told("STATUS=paused")
    daemon.signal(SIGUSR2)
    try await daemon.told("STATUS=running")
    let (elapsed, count) = (began.duration(to: .now), pings(daemon) - first)
    #expect(elapsed > .seconds(2))
    #expect(Double(count) > elapsed / .milliseconds(500), "\(count) pings in \(elapsed)")
    #expect(Double(count) < elapsed / .milliseconds(100), "\(count) pings in \(elapsed)")
    #expect(await daemon.stop() == .exited(0))
  }

  @Test(
    "Nobody is pinged with Watchdog=no, nor when the watchdog is another process's, nor without one",
    arguments: [
      ("Watchdog=no", ["WATCHDOG_USEC": "500000"]), ("", ["WATCHDOG_USEC": "500000", "WATCHDOG_PID": "1"]), ("", [:]),
    ])
  func noPings(settings: String, environment: [String: String]) async throws {
    let folder = try HookFolder()
    try folder.hook("10-db", on: "health", keys: "IntervalSec=100ms")
    let daemon = try daemon(folder, settings: settings, environment: environment)
    try await daemon.ready()
    #expect(await runs(6, more: folder))
    #expect(!daemon.messages.contains { $0.contains("WATCHDOG=") })
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("Watchdog=trigger tells the manager once to act at once")
  func trigger() async throws {
    let folder = try HookFolder()
    try folder.hook("10-db", on: "health", "[ ! -e $ROOT/sick ]", keys: "IntervalSec=100ms")
    let daemon = try daemon(folder, settings: "Watchdog=trigger")
    try await daemon.ready()
    folder.touch("sick")
    try await daemon.told("WATCHDOG=trigger")
    let before = pings(daemon)
    #expect(await runs(10, more: folder))
    #expect(daemon.messages.filter { $0.contains("WATCHDOG=trigger") }.count == 1)
    #expect(pings(daemon) == before)
    #expect(await daemon.stop() == .exited(0))
  }

  // MARK: Hooks with On=health

  @Test("F05: a failing check has its name, status and reason in STATUS and log, and ends the pings until it is well")
  func failing() async throws {
    let folder = try HookFolder()
    try folder.hook(
      "10-db", on: "health", "[ -e $ROOT/sick ] || exit 0\necho looking; printf 'disk \\033 full\\n' >&2; echo; exit 3",
      keys: "IntervalSec=100ms")
    let daemon = try daemon(folder)
    try await daemon.ready()
    #expect(await eventually { pings(daemon) > 2 })
    folder.touch("sick")
    let began = ContinuousClock.now
    try await daemon.told(#"STATUS=unhealthy: 10-db: exited 3: disk \x1b full"#)
    #expect(began.duration(to: .now) < .seconds(4))
    await daemon.untilLogged(#"<3>10-db is unwell: exited 3: disk \x1b full"#)
    let before = pings(daemon)
    #expect(await runs(10, more: folder))
    #expect(pings(daemon) == before)
    #expect(daemon.log.filter { $0.contains("is unwell") }.count == 1)
    unlink(folder.beside("sick"))
    try await daemon.told("STATUS=running")
    await daemon.untilLogged("<5>10-db is well again")
    #expect(await eventually { pings(daemon) > before })
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("A13: a check that hangs is found by its limit, ended, and run again; it never runs twice at once")
  func hanging() async throws {
    let folder = try HookFolder()
    try folder.hook(
      "10-db", on: "health",
      "read -r other <$ROOT/busy && kill -0 $other && echo twice >>$TRACE; echo $$ >$ROOT/busy\n"
        + "[ ! -e $ROOT/wedged ] || exec sleep 600",
      keys: "IntervalSec=100ms\nTimeoutSec=500ms")
    let daemon = try daemon(folder)
    try await daemon.ready()
    #expect(await runs(3, more: folder))
    folder.touch("wedged")
    let began = ContinuousClock.now
    try await daemon.told("STATUS=unhealthy: 10-db: timed out after 500ms")
    #expect(began.duration(to: .now) < .seconds(3))
    let before = pings(daemon)
    #expect(await runs(3, more: folder))
    #expect(pings(daemon) == before)
    unlink(folder.beside("wedged"))
    try await daemon.told("STATUS=running")
    #expect(!folder.ran.contains("twice"))
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("A check that ignores SIGTERM is found in the same time, and a stop waits for it no longer than for others")
  func deaf() async throws {
    let folder = try HookFolder()
    try folder.hook(
      "10-db", on: "health", "trap '' TERM; echo $$ >$ROOT/pid; while :; do sleep 0.1; done",
      keys: "IntervalSec=100ms\nTimeoutSec=500ms")
    let daemon = try daemon(folder)
    try await daemon.ready()
    try await daemon.told("STATUS=unhealthy: 10-db: timed out after 500ms")
    #expect(!folder.ran.isEmpty)
    let began = ContinuousClock.now
    #expect(await daemon.stop() == .exited(0))
    #expect(began.duration(to: .now) < .seconds(4))
    #expect(await eventually { !isAlive(folder) })
  }

  @Test("A stop in the middle of a check ends it, and is clean")
  func stopWhileChecking() async throws {
    let folder = try HookFolder()
    try folder.hook(
      "10-db", on: "health stop", "[ $LIFECYCLE_EVENT = stop ] || { echo $$ >$ROOT/pid; exec sleep 600; }")
    let daemon = try daemon(folder)
    await daemon.untilRan("10-db health start")
    #expect(await eventually { isAlive(folder) })
    let began = ContinuousClock.now
    #expect(await daemon.stop() == .exited(0))
    #expect(began.duration(to: .now) < .seconds(4))
    #expect(folder.ran.last == "10-db stop stop")
    #expect(await eventually { !isAlive(folder) })
    #expect(!daemon.logs("unwell"))
  }

  @Test("An optional check that fails only degrades, and the pings go on")
  func optional() async throws {
    let folder = try HookFolder()
    try folder.hook("10-cache", on: "health", "echo cold; exit 1", keys: "IntervalSec=100ms\nRequired=no")
    let daemon = try daemon(folder)
    try await daemon.told("STATUS=degraded: 10-cache: exited 1: cold")
    await daemon.untilLogged("<4>10-cache is unwell: exited 1: cold")
    let before = pings(daemon)
    #expect(await eventually { pings(daemon) > before + 2 })
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("A check begins after READY, knows its event and its reason, and goes on while the service is paused")
  func facts() async throws {
    let folder = try HookFolder()
    try folder.hook("10-db", on: "start health", keys: "IntervalSec=100ms\nReason=start")
    let daemon = try daemon(folder, environment: [:])
    await daemon.untilRan("10-db health start")
    #expect(folder.ran.first == "10-db start start")
    #expect(daemon.messages.contains { $0.contains("READY=1") })
    try await daemon.reload()
    await daemon.untilRan("10-db health reload")
    daemon.signal(SIGUSR1)
    await daemon.untilRan("10-db health pause")
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("A reload brings new checks, ends those that are gone, and runs changed ones by their new definition")
  func reload() async throws {
    let folder = try HookFolder()
    try folder.hook("10-gone", on: "start health", keys: "IntervalSec=50ms")
    try folder.hook("20-changed", on: "health", "exit 1", keys: "IntervalSec=50ms")
    try folder.hook("30-plain", on: "start")
    let daemon = try daemon(folder)
    try await daemon.told("STATUS=unhealthy: 20-changed: exited 1")
    try folder.hook("10-gone", on: "start")
    try folder.hook("20-changed", on: "health", "echo new >>$TRACE", keys: "IntervalSec=60ms")
    try folder.hook("30-plain", on: "start health", keys: "IntervalSec=50ms")
    try folder.hook("40-new", on: "start health", keys: "IntervalSec=50ms")
    // Told with the end of the reload, or right after it.
    let end = try await daemon.reload()
    if end.value(of: "STATUS") != "running" { try await daemon.told("STATUS=running") }
    folder.forget()
    #expect(await runs(20, more: folder))
    for line in ["20-changed health reload", "new", "30-plain health reload", "40-new health reload"] {
      #expect(folder.ran.contains(line))
    }
    #expect(!folder.ran.contains { $0.hasPrefix("10-gone") })
    for name in ["20-changed", "30-plain", "40-new"] { try folder.remove("\(name).hook") }
    try await daemon.reload()
    #expect(await eventually { pings(daemon) > 3 })
    folder.forget()
    let before = pings(daemon)
    #expect(await eventually { pings(daemon) > before + 1 })
    #expect(folder.ran.isEmpty)
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("A new hook whose start fails is not checked")
  func failedStart() async throws {
    let folder = try HookFolder()
    let daemon = try daemon(folder)
    try await daemon.ready()
    try folder.hook("10-new", on: "start health", "exit 1", keys: "IntervalSec=50ms")
    try await daemon.reload()
    let before = pings(daemon)
    #expect(await eventually { pings(daemon) > before + 2 })
    #expect(folder.ran == ["10-new start reload"] || folder.ran == ["10-new start start"], "\(folder.ran)")
    // A required hook has failed, which the exit status tells.
    #expect(await daemon.stop() == .exited(70))
  }

  // MARK: The drain delay

  @Test("DrainDelaySec= keeps the service in the foreground after STOPPING; a reload changes it")
  func drain() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "background stop")
    let daemon = try daemon(folder, settings: "DrainDelaySec=600\nTimeoutStopSec=900")
    try await daemon.ready()
    try folder.write("lifecycled.conf", "[Lifecycle]\nDrainDelaySec=5\n")
    try await daemon.reload()
    let began = ContinuousClock.now
    daemon.signal(SIGTERM)
    try await daemon.told("STOPPING=1")
    #expect(folder.ran.isEmpty)
    #expect(await daemon.ended() == .exited(0))
    #expect((.milliseconds(4950) ... .seconds(15)).contains(began.duration(to: .now)))
    #expect(folder.ran == ["10-a background stop", "10-a stop stop"])
    #expect(!daemon.messages.drop { !$0.contains("STOPPING=1") }.contains { $0.contains("WATCHDOG=") })
  }

  @Test("A second SIGTERM ends the wait for the drain delay")
  func hastenedDrain() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "background stop")
    let daemon = try daemon(folder, settings: "DrainDelaySec=600\nTimeoutStopSec=900")
    try await daemon.ready()
    daemon.signal(SIGTERM)
    try await daemon.told("STOPPING=1")
    #expect(folder.ran.isEmpty)
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["10-a background stop", "10-a stop stop"])
  }
}
