/// How a running lifecycled takes a new configuration, or refuses it as a whole.
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Reload of lifecycled", .timeLimit(.minutes(5)))
struct ReloadTests {
  @Test("A01, A09: a bad configuration is refused with one READY, the old stays; a good one is taken next")
  func badThenGood() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start reload stop")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.write("20-b.hook", "[Hook]\nOn=start\nbad\nExec=\n")
    let refused = try await daemon.reload()
    let status = try #require(refused.value(of: "STATUS"))
    #expect(status.hasPrefix("reload failed: configuration: \(folder.path)/20-b.hook:3: "))
    #expect(status.hasSuffix(" (and 1 more)"))
    await daemon.untilLogged("the reload failed")
    #expect(daemon.log.filter { $0.contains("20-b.hook") }.count == 2)
    #expect(folder.ran == ["10-a start start"])
    try folder.hook("20-b", on: "start stop")
    #expect(try await daemon.reload().value(of: "STATUS") == "running")
    #expect(folder.ran == ["10-a start start", "10-a reload reload", "20-b start start"])
    await daemon.untilLogged("generation 2")
    let told = daemon.messages.compactMap { text in
      ["RELOADING=1", "READY=1", "STOPPING=1"].first { text.contains($0) }
    }
    #expect(told == ["READY=1", "RELOADING=1", "READY=1", "RELOADING=1", "READY=1"])
  }

  @Test("A03: each of two reloads has its RELOADING and its READY")
  func twice() async throws {
    let daemon = try DaemonUnderTest(try HookFolder())
    try await daemon.ready()
    for _ in 0..<2 { try await daemon.reload() }
    #expect(daemon.messages.filter { $0.contains("RELOADING=1") }.count == 2)
    #expect(daemon.messages.filter { $0.contains("READY=1") }.count == 3)
  }

  @Test("A04: MONOTONIC_USEC stands in the datagram of RELOADING and lies between SIGHUP and now")
  func monotonicTime() async throws {
    let daemon = try DaemonUnderTest(try HookFolder())
    try await daemon.ready()
    let before = MonotonicClock.microseconds()
    daemon.signal(SIGHUP)
    let message = try await daemon.told("RELOADING=1")
    let time = try #require(message.value(of: "MONOTONIC_USEC").flatMap { UInt64($0) })
    #expect((before...MonotonicClock.microseconds()).contains(time))
  }

  @Test("A18: a failed reload tells its errno, the next good one takes it back")
  func errno() async throws {
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.write("10-a.hook", "[Hook]\nOn=reload\nExec=/nonexistent/program\n")
    let failed = try await daemon.reload()
    #expect(failed.value(of: "ERRNO") == "\(ENOENT)")
    let why = "10-a: cannot run /nonexistent/program: No such file or directory"
    #expect(failed.value(of: "STATUS") == "reload failed: \(why)")
    try folder.remove("10-a.hook")
    #expect(try await daemon.reload().value(of: "ERRNO") == "0")
    #expect(try await daemon.reload().value(of: "ERRNO") == nil)
  }

  @Test("hooks of a reload run from the new files: all that prepare, then all that reload, in order")
  func phases() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "prepare-reload reload", "exit 1")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    for name in ["10-a", "20-b"] { try folder.hook(name, on: "prepare-reload reload revert-reload") }
    #expect(try await daemon.reload().value(of: "STATUS") == "running")
    let expected = ["prepare-reload", "reload"].flatMap { event in ["10-a", "20-b"].map { "\($0) \(event) reload" } }
    #expect(folder.ran == expected)
  }

  @Test("D15: when the second of three reload hooks fails, the first alone is reverted and the old files stay")
  func revert() async throws {
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.hook("10-a", on: "start reload revert-reload")
    try folder.hook("20-b", on: "start reload revert-reload", "[ $LIFECYCLE_EVENT != reload ]")
    try folder.hook("30-c", on: "start reload revert-reload")
    #expect(try await daemon.reload().value(of: "STATUS") == "reload failed: 20-b: exited 1")
    #expect(folder.ran == ["10-a reload reload", "20-b reload reload", "10-a revert-reload reload"])
    await daemon.untilLogged("the reload failed")
    #expect(daemon.log.filter { $0.contains("exited 1") } == ["<3>20-b failed in reload: exited 1"])
    #expect(!daemon.logs("generation 2"))
    try folder.hook("20-b", on: "reload", "echo generation $LIFECYCLE_GENERATION")
    try await daemon.reload()
    await daemon.untilLogged("20-b: generation 1")
  }

  @Test("a hook that refuses to prepare leaves everything as it was")
  func prepareFails() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "background foreground", keys: "Reason=reload start stop")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    folder.forget()
    try folder.hook("20-b", on: "prepare-reload reload revert-reload", "exit 5")
    #expect(try await daemon.reload().value(of: "STATUS") == "reload failed: 20-b: exited 5")
    #expect(folder.ran == ["20-b prepare-reload reload"])
  }

  @Test("an optional hook that fails in a reload is logged and passed over")
  func optionalFails() async throws {
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.hook("10-a", on: "reload", "exit 6", keys: "Required=no")
    #expect(try await daemon.reload().value(of: "STATUS") == "running")
    await daemon.untilLogged("<4>10-a failed in reload: exited 6")
  }

  @Test("new hooks are started in their place, gone ones stopped from the old file, changed ones run nothing")
  func membership() async throws {
    let folder = try HookFolder()
    let events = "start foreground background stop"
    for name in ["10-stays", "30-gone", "50-changed"] { try folder.hook(name, on: events) }
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    folder.forget()
    try folder.remove("30-gone.hook")
    for name in ["05-new", "20-new", "60-new"] { try folder.hook(name, on: events) }
    try folder.hook("50-changed", on: "stop", "echo changed >>$TRACE", keys: "TimeoutSec=10")
    try await daemon.reload()
    let new = ["05-new", "20-new", "60-new"]
    #expect(
      folder.ran == ["30-gone background stop", "30-gone stop stop"] + new.map { "\($0) start start" }
        + new.map { "\($0) foreground start" })
    folder.forget()
    #expect(await daemon.stop() == .exited(0))
    #expect(
      folder.ran == ["60-new", "20-new", "10-stays", "05-new"].map { "\($0) background stop" }
        + ["60-new stop stop", "50-changed stop stop", "changed"]
        + ["20-new", "10-stays", "05-new"].map { "\($0) stop stop" })
  }

  @Test("a new hook whose start fails is no member, the service lives, and the next reload tries it again")
  func newHookFails() async throws {
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.hook("10-a", on: "start foreground", "[ -e $ROOT/works ]")
    try await daemon.reload()
    #expect(folder.ran == ["10-a start start"])
    await daemon.untilLogged("<3>10-a failed in didFinishLaunching: exited 1")
    folder.touch("works")
    try await daemon.reload()
    #expect(folder.ran == ["10-a start start", "10-a start start", "10-a foreground start"])
  }

  @Test("with no reason given a reload does not run foreground and background; Reason=reload does")
  func reasons() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "foreground background")
    try folder.hook("20-b", on: "foreground background", keys: "Reason=reload")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    #expect(folder.ran == ["10-a foreground start"])
    folder.forget()
    try await daemon.reload()
    #expect(folder.ran == ["20-b background reload", "20-b foreground reload"])
  }

  @Test("LogLevel= is in force after the reload; Signal= waits for the next start, which is said")
  func settings() async throws {
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.write("lifecycled.conf", "[Lifecycle]\nLogLevel=debug\nSignal=USR1:stop\n")
    try await daemon.reload()
    await daemon.untilLogged("<7>state: foreground")
    #expect(daemon.log.filter { $0 == "<4>Signal= takes effect at the next start" }.count == 1)
  }

  @Test("B05: SIGHUP and at once SIGTERM: it stops, and READY is not told any more", arguments: [0, 1, 5])
  func reloadThenStop(milliseconds: Int) async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "prepare-reload", "exec sleep 300")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    daemon.signal(SIGHUP)
    try await Task.sleep(for: .milliseconds(milliseconds))
    #expect(await daemon.stop() == .exited(0))
    try await daemon.told("STOPPING=1")
    #expect(!(daemon.manager?.messages.last?.says("READY=1") ?? true))
    #expect(daemon.messages.filter { $0.contains("READY=1") }.count == 1, "\(daemon.messages) \(daemon.log)")
  }

  @Test("B13: SIGTERM while a hook prepares ends it; nothing was changed, exit 0")
  func stopWhilePreparing() async throws {
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.hook("10-a", on: "start prepare-reload reload revert-reload stop", "exec sleep 300")
    daemon.signal(SIGHUP)
    await daemon.untilRan("10-a prepare-reload reload")
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["10-a prepare-reload reload"])
    #expect(daemon.messages.filter { $0.contains("READY=1") }.count == 1)
  }

  @Test("B13: SIGTERM inside the second reload hook ends it and reverts the first; old hooks stop, exit 0")
  func stopWhileReloading() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "foreground background stop")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    folder.forget()
    try folder.hook("10-a", on: "foreground background reload revert-reload stop")
    try folder.hook("20-b", on: "start reload revert-reload stop", "exec sleep 300")
    try folder.hook("30-c", on: "reload revert-reload")
    daemon.signal(SIGHUP)
    await daemon.untilRan("20-b reload reload")
    #expect(await daemon.stop() == .exited(0))
    #expect(
      folder.ran == [
        "10-a reload reload", "20-b reload reload", "10-a revert-reload reload", "10-a background stop",
        "10-a stop stop",
      ])
    #expect(daemon.logs("the reload was dropped by the stop"))
    #expect(daemon.messages.filter { $0.contains("READY=1") }.count == 1)
  }
}
