/// What the manager hears of one program under `lifecycled run`, and what becomes of the program when the manager is in
/// trouble.
import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("lifecycled run and the manager", .timeLimit(.minutes(5)))
struct RunManagerTests {
  let folder: HookFolder
  init() throws { folder = try HookFolder() }

  private static let forEver = "while True: time.sleep(1000)"

  /// Reloads by SIGHUP as sd_notify(3) has it: fails when the file `bad` is there, and says so.
  private static let reloads = """
    def hup(*_):
      notify('RELOADING=1')
      notify('READY=1' + chr(10) + 'STATUS=' + ('bad file' if bad() else 'good file'))
    signal.signal(signal.SIGHUP, hup)
    notify('READY=1')
    """

  private func reloading() throws -> DaemonUnderTest {
    try DaemonUnderTest.run(
      folder, ["--ready=notify", "--reload-signal=HUP"],
      try folder.python("def bad(): return os.path.exists('\(folder.beside("bad"))')\n\(Self.reloads)\n\(Self.forEver)")
    )
  }

  @Test("A01: a program that reads a bad file goes on, STATUS says what it says, and the next reload is a good one")
  func badReload() async throws {
    let run = try reloading()
    try await run.ready()
    folder.touch("bad")
    try await run.reload()
    #expect(await eventually { run.messages.last?.contains("STATUS=bad file") == true }, "\(run.messages)")
    try FileManager.default.removeItem(atPath: folder.beside("bad"))
    try await run.reload()
    #expect(await eventually { run.messages.last?.contains("STATUS=good file") == true }, "\(run.messages)")
    #expect(await run.stop() == .exited(0))
    #expect(run.messages.filter { $0.contains("READY=1") }.count == 3)
  }

  @Test("A03, A04, A09: each RELOADING has its READY, with the time in the same datagram and no STOPPING between")
  func pairs() async throws {
    let run = try reloading()
    try await run.ready()
    for _ in 1...2 {
      let before = MonotonicClock.microseconds()
      run.signal(SIGHUP)
      let message = try await run.told("RELOADING=1")
      let time = try #require(message.value(of: "MONOTONIC_USEC").flatMap { UInt64($0) })
      #expect(before <= time && time <= MonotonicClock.microseconds())
      try await run.ready()
    }
    let states: Set<String> = ["READY=1", "RELOADING=1", "STOPPING=1"]
    let told = (run.manager?.messages ?? []).flatMap(\.lines).filter { states.contains($0) }
    let expected: [String] = ["READY=1", "RELOADING=1", "READY=1", "RELOADING=1", "READY=1"]
    #expect(told == expected)
    #expect(await run.stop() == .exited(0))
  }

  @Test("A08, A15: the manager is asked to wait while a program starts, and while it reloads")
  func waits() async throws {
    let code = """
      wait_for('started')
      def hup(*_):
        notify('RELOADING=1'); wait_for('reloaded'); notify('READY=1')
      signal.signal(signal.SIGHUP, hup)
      notify('READY=1')
      """
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify", "--reload-signal=HUP"], try folder.python("\(code)\n\(Self.forEver)"))
    for phase in ["started", "reloaded"] {
      if phase == "reloaded" { run.signal(SIGHUP) }
      let already = run.allMessages.count
      var asked: [String] { run.allMessages.dropFirst(already).filter { $0.contains("EXTEND_TIMEOUT_USEC=") } }
      #expect(await eventually { asked.count >= 2 }, "\(run.allMessages)")
      #expect(asked.allSatisfy { $0.contains("EXTEND_TIMEOUT_USEC=5000000") }, "\(asked)")
      #expect(!run.messages.dropFirst(already).contains { $0.contains("READY=1") })
      folder.touch(phase)
      try await run.ready()
    }
    #expect(await run.stop() == .exited(0))
  }

  @Test("A10, A12: a manager on an abstract socket is told, and pinged at once after READY")
  func abstract() async throws {
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify"], try folder.python("notify('READY=1'); notify('WATCHDOG=1')\n\(Self.forEver)"),
      manager: .abstract, environment: ["WATCHDOG_USEC": "5000000"])
    try await run.ready()
    let began = ContinuousClock.now
    try await run.told("WATCHDOG=1")
    #expect(ContinuousClock.now - began < .seconds(2))
    #expect(await run.stop() == .exited(0))
  }

  @Test("A11: without a manager everything works, and nothing above debug speaks of it")
  func noManager() async throws {
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify"], try folder.python("notify('READY=1')\nnotify('STATUS=x')\n\(Self.forEver)"),
      manager: nil)
    await run.untilLogged("didBecomeActive")
    #expect(await run.stop() == .exited(0))
    for line in run.log {
      let lower = line.lowercased()
      #expect(!["manager", "notify", "systemd", "<3>", "<4>"].contains { lower.contains($0) }, "\(line)")
    }
  }

  @Test("A16: the manager's socket vanishes: one warning, the program goes on, SIGTERM gives exit status 0")
  func vanished() async throws {
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify"],
      try folder.python("notify('READY=1')\nwait_for('go')\nnotify('STATUS=x')\ntrace('on')\n\(Self.forEver)"))
    try await run.ready()
    run.manager?.vanish()
    #expect(await eventually { Glibc.access(run.manager?.address ?? "/", F_OK) != 0 })
    folder.touch("go")
    await run.untilRan("on")
    await run.untilLogged("could not be told")
    #expect(await run.stop() == .exited(0))
    #expect(run.log.filter { $0.hasPrefix("<4>") }.count == 1, "\(run.log)")
  }

  @Test("A17: however long and odd what a program says of itself, STATUS is one valid line of at most 512 bytes")
  func longStatus() async throws {
    let code = """
      notify('READY=1')
      notify(b'STATUS=' + bytes([0xff, 27, 0xf0, 0x9f, 0x90]) * 800)
      trace('said')
      wait_for('go')
      notify(b'STATUS=dropped' + bytes([0]) + b'x')
      notify(b'STATUS=' + b'y' * 5000)
      notify('STATUS=' + chr(0x1F40C) * 1000)
      """
    let run = try DaemonUnderTest.run(folder, ["--ready=notify"], try folder.python("\(code)\n\(Self.forEver)"))
    try await run.ready()
    await run.untilRan("said")
    #expect(await eventually { run.messages.contains { $0.contains("STATUS=\\xff\\x1b\\xf0\\x9f\\x90") } })
    folder.touch("go")
    #expect(await eventually { run.messages.contains { $0.contains("STATUS=\u{1F40C}") } })
    #expect(await run.stop() == .exited(0))
    for message in run.manager?.messages ?? [] {
      let text = try #require(String(validating: message.bytes, as: UTF8.self))
      for line in text.split(separator: "\n") where line.hasPrefix("STATUS=") {
        #expect(line.utf8.count <= 519)
        #expect(!line.contains("dropped") && !line.contains("yyy"))
      }
    }
  }

  @Test("A19: a manager that does not read holds up no program, and hears READY and STOPPING once it reads")
  func fullSocket() async throws {
    let manager = try FakeServiceManager()
    manager.pauseReading()
    let sender = try #require(try NotifySender(socketPath: manager.address))
    while (try? sender.send("X_FILL=1")) != nil {}
    let code = """
      signal.signal(15, lambda *_: (trace('stops'), wait_for('go'), sys.exit(0)))
      notify('READY=1')
      for number in range(200): notify('STATUS=%d' % number)
      trace('on')
      """
    let run = try DaemonUnderTest(
      folder, command: ["run", "--ready=notify", "--"] + (try folder.python("\(code)\n\(Self.forEver)")),
      toldTo: manager)
    await run.untilRan("on")
    #expect(run.messages.isEmpty)
    await run.untilLogged("didBecomeActive")
    run.signal(SIGTERM)
    await run.untilRan("stops")
    manager.resumeReading()
    try await run.told("STOPPING=1")
    folder.touch("go")
    #expect(await run.ended() == .exited(0))
  }
}
