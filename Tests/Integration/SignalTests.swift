/// What signals do to a running lifecycled.
import Foundation
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Signals of lifecycled", .timeLimit(.minutes(5)))
struct SignalTests {
  /// Whether the process has a handler for this signal.
  private func catches(_ signal: Int32, _ process: Int32) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
    let bits = line.flatMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) } ?? 0
    return bits >> UInt64(signal - 1) & 1 == 1
  }

  @Test(
    "B01: SIGHUP at any moment of the start, once signals are claimed, is survived and answered after READY",
    arguments: Array(stride(from: 0, through: 50, by: 5)))
  func earlyReload(milliseconds: Int) async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start", "sleep 0.03")
    try folder.hook("20-b", on: "reload")
    let daemon = try DaemonUnderTest(folder)
    try await Task.sleep(for: .milliseconds(milliseconds))
    #expect(await eventually { catches(SIGHUP, daemon.processID) })
    daemon.signal(SIGHUP)
    try await daemon.ready()
    try await daemon.told("RELOADING=1")
    try await daemon.ready()
    #expect(folder.ran == ["10-a start start", "20-b reload reload"])
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("B07: SIGHUP without any hook is answered, and the service lives on")
  func reloadWithoutHooks() async throws {
    let daemon = try DaemonUnderTest(try HookFolder())
    try await daemon.ready()
    try await daemon.reload()
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("B08: SIGSTOP and SIGCONT under load interrupt nothing")
  func stopAndContinue() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "reload", "i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    for _ in 0..<3 {
      daemon.signal(SIGHUP)
      for _ in 0..<40 {
        daemon.signal(SIGSTOP)
        try await Task.sleep(for: .milliseconds(1))
        daemon.signal(SIGCONT)
      }
      try await daemon.told("RELOADING=1")
      #expect(try await daemon.ready().value(of: "STATUS") == "running")
    }
    #expect(await daemon.stop() == .exited(0))
    #expect(!daemon.logs("nterrupted"))
    #expect(daemon.log.filter { $0.hasPrefix("<6>10-a: line ") }.count == 900)
  }

  @Test("B09: 10,000 mixed signals from two processes leave a daemon with health hooks whole, and in the right state")
  func flood() async throws {
    let folder = try HookFolder()
    try folder.hook("10-db", on: "foreground background health", keys: "IntervalSec=50ms")
    try folder.hook("20-web", on: "health", keys: "IntervalSec=50ms")
    try folder.hook("30-c", on: "reload", "[ ! -e $ROOT/after ] || echo after >>$TRACE")
    let daemon = try DaemonUnderTest(
      folder, arguments: ["--log-level", "warning"], environment: ["WATCHDOG_USEC": "1000000"])
    try await daemon.ready()
    let numbers = [SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH].map(String.init).joined(separator: ",")
    let program = """
      import os, time
      for i in range(5000):
        os.kill(\(daemon.processID), (\(numbers))[i * 7 % 5])
        if i % 25 == 0: time.sleep(0.01)
      """
    let senders = try (0..<2).map { _ in
      let sender = Process()
      sender.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      sender.arguments = ["-c", program]
      try sender.run()
      return sender
    }
    #expect(await eventually { senders.allSatisfy { !$0.isRunning } })
    #expect(senders.map(\.terminationStatus) == [0, 0])
    daemon.signal(SIGUSR2)
    folder.touch("after")
    daemon.signal(SIGHUP)
    await daemon.untilRan("after")
    let isRight = await eventually {
      let states = daemon.messages.filter { $0.contains("STATUS=") }
      return states.last?.contains("STATUS=running") == true
    }
    #expect(isRight, "\(daemon.messages.suffix(5))")
    #expect(folder.ran.last { $0.contains("ground") }?.contains("foreground") == true)
    let before = daemon.messages.filter { $0 == "WATCHDOG=1" }.count
    #expect(await eventually { daemon.messages.filter { $0 == "WATCHDOG=1" }.count > before })
    #expect(await daemon.stop() == .exited(0))
    #expect(daemon.log.filter { $0.hasPrefix("<3>") } == [])
  }

  @Test(
    "B10: as the first process of a PID namespace it stops in order", .enabled(if: geteuid() == 0, "needs root"),
    arguments: [SIGTERM, SIGINT])
  func firstProcess(signal: Int32) async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start stop")
    let daemon = try DaemonUnderTest(
      folder, launcher: ["/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "--kill-child"])
    let outside = try await daemon.ready().senderPID
    #expect(outside != daemon.processID)
    #expect(kill(outside, signal) == 0)
    #expect(await daemon.ended() == .exited(0))
    #expect(folder.ran == ["10-a start start", "10-a stop stop"])
  }

  @Test(
    "B11: a signal that stops a healthy service gives exit status 0",
    arguments: [SIGTERM, SIGINT, SIGQUIT, SignalSource.realtime(3)])
  func stops(signal: Int32) async throws {
    let daemon = try DaemonUnderTest(try HookFolder())
    try await daemon.ready()
    daemon.signal(signal)
    #expect(await daemon.ended() == .exited(0))
    #expect(daemon.messages.last == "STOPPING=1\nSTATUS=stopping")
  }

  @Test("B14: a paused service stays paused through a reload, whose READY is told")
  func reloadWhilePaused() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "foreground background reload")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    daemon.signal(SIGUSR1)
    try await daemon.told("STATUS=paused")
    #expect(try await daemon.reload().value(of: "STATUS") == "paused")
    daemon.signal(SIGUSR2)
    try await daemon.told("STATUS=running")
    #expect(
      folder.ran == [
        "10-a foreground start", "10-a background pause", "10-a reload reload", "10-a foreground pause",
      ])
  }

  @Test("B14: a paused service that is stopped has no second background")
  func stopWhilePaused() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "background stop")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    daemon.signal(SIGUSR1)
    try await daemon.told("STATUS=paused")
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["10-a background pause", "10-a stop stop"])
  }

  @Test("B14: a pause with two causes ends with the second resume")
  func twoCauses() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "foreground background")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    daemon.signal(SIGUSR1)
    try await daemon.told("STATUS=paused")
    daemon.signal(SIGTSTP)
    await daemon.untilLogged("SIGTSTP")
    daemon.signal(SIGUSR2)
    await daemon.untilLogged("SIGUSR2")
    // A reload says where the service is once it has taken all that came before.
    #expect(try await daemon.reload().value(of: "STATUS") == "paused")
    daemon.signal(SIGCONT)
    try await daemon.told("STATUS=running")
    #expect(folder.ran == ["10-a foreground start", "10-a background pause", "10-a foreground pause"])
  }

  @Test("B16: one SIGTERM behind more signals than the pipe holds stops it")
  func floodThenStop() async throws {
    let folder = try HookFolder()
    try folder.write("lifecycled.conf", "[Lifecycle]\nSignal=RTMIN+5:event\n")
    let daemon = try DaemonUnderTest(folder, arguments: ["--log-level", "notice"])
    try await daemon.ready()
    daemon.signal(SIGSTOP)
    for _ in 0..<5000 { daemon.signal(SignalSource.realtime(5)) }
    daemon.signal(SIGUSR1)
    daemon.signal(SIGTERM)
    daemon.signal(SIGCONT)
    #expect(await daemon.ended() == .exited(0))
    try await daemon.told("STOPPING=1")
  }

  @Test("Signal= gives signals another meaning")
  func map() async throws {
    let folder = try HookFolder()
    try folder.write("lifecycled.conf", "[Lifecycle]\nSignal=USR1:stop HUP:ignore\n")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    daemon.signal(SIGHUP)
    daemon.signal(SIGUSR1)
    #expect(await daemon.ended() == .exited(0))
    #expect(!daemon.messages.contains { $0.contains("RELOADING") })
  }
}
