import Foundation
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("The daemon ends everything in its time", .timeLimit(.minutes(5)))
struct DaemonDeadlineTests {
  @Test("A start that takes longer than TimeoutStartSec= fails with 69, names the hook and leaves nothing running")
  func start() async throws {
    let folder = try HookFolder()
    try folder.write("lifecycled.conf", "[Lifecycle]\nTimeoutStartSec=1\n")
    try folder.hook("10-a", on: "start stop")
    try folder.hook("20-slow", on: "start", "echo $$ >$ROOT/pid; exec sleep 600")
    let daemon = try DaemonUnderTest(folder)
    let message = try await daemon.told("STOPPING=1")
    #expect(message.value(of: "STATUS") == "start failed: 20-slow: timed out in didFinishLaunching")
    #expect(await daemon.ended() == .exited(69))
    #expect(folder.ran.last == "10-a stop stop")
    #expect(!isAlive(folder))
  }

  @Test("D16, C12: a stop hook that ignores SIGTERM is passed over, killed with its tree; the others stop; exit 75")
  func stop() async throws {
    let folder = try HookFolder()
    try folder.write("lifecycled.conf", "[Lifecycle]\nTimeoutStopSec=2\n")
    try folder.hook("10-a", on: "stop")
    try folder.hook(
      "20-deaf", on: "stop",
      "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ >$ROOT/pid; while :; do sleep 1; done' & wait; wait")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let began = ContinuousClock.now
    daemon.signal(SIGTERM)
    #expect(await daemon.ended() == .exited(75))
    #expect(began.duration(to: .now) < .seconds(4))
    #expect(folder.ran.last == "10-a stop stop")
    #expect(await eventually { !isAlive(folder) })
  }

  @Test("B04: a second SIGTERM ends the hook that runs and tells the others; the exit comes long before the limit")
  func second() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "stop")
    try folder.hook("20-slow", on: "stop", "exec sleep 600", keys: "TimeoutSec=600")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    daemon.signal(SIGTERM)
    await daemon.untilRan("20-slow stop stop")
    daemon.signal(SIGTERM)
    _ = await daemon.ended()
    #expect(folder.ran == ["20-slow stop stop", "10-a stop stop"], "one drain, not two")
    #expect(daemon.messages.filter { $0.contains("STOPPING=1") }.count == 1)
  }

  @Test("B04: a third SIGTERM leaves at once with 128+15")
  func third() async throws {
    let folder = try HookFolder()
    try folder.hook("20-deaf", on: "stop", "trap '' TERM; while :; do sleep 0.1; done", keys: "TimeoutSec=600")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    daemon.signal(SIGTERM)
    await daemon.untilRan("20-deaf stop stop")
    daemon.signal(SIGTERM)
    _ = try await daemon.told("STATUS=stopping, hastened by a second signal")
    daemon.signal(SIGTERM)
    #expect(await daemon.ended() == .exited(128 + SIGTERM))
  }

  @Test("A reload that takes longer than TimeoutReloadSec= is refused, READY is sent, and the next one works")
  func reload() async throws {
    let folder = try HookFolder()
    try folder.write("lifecycled.conf", "[Lifecycle]\nTimeoutReloadSec=1\n")
    try folder.hook("10-slow", on: "prepare-reload", "[ -e $ROOT/quick ] || exec sleep 600", keys: "TimeoutSec=600")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let refused = try await daemon.reload()
    #expect(refused.value(of: "STATUS")?.hasPrefix("reload failed: ") == true)
    folder.touch("quick")
    let taken = try await daemon.reload()
    #expect(taken.value(of: "STATUS") == "running")
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("F13: with TimeoutStopSec=10 and a stop hook that takes 50 ms, lifecycled ends within 200 ms")
  func quick() async throws {
    var quickest = Duration.seconds(600)
    // The best of a few, since the machine has other things to do.
    for _ in 0..<4 {
      let folder = try HookFolder()
      try folder.write("lifecycled.conf", "[Lifecycle]\nTimeoutStopSec=10\n")
      try folder.hook("10-a", on: "stop", "sleep 0.05")
      let daemon = try DaemonUnderTest(folder)
      try await daemon.ready()
      let began = ContinuousClock.now
      #expect(await daemon.stop() == .exited(0))
      quickest = min(quickest, began.duration(to: .now))
    }
    #expect(quickest < .milliseconds(200))
  }

  /// Whether the process that wrote its id still runs.
  private func isAlive(_ folder: HookFolder) -> Bool {
    guard let text = try? String(contentsOfFile: folder.beside("pid"), encoding: .utf8),
      let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
    else { return false }
    let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    return kill(pid, 0) == 0 && !stat.contains(") Z ")
  }
}
