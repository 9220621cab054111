/// What lifecycled does without a manager, or with one that is in trouble.
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("lifecycled and its manager", .timeLimit(.minutes(5)))
struct ManagerTests {
  @Test("A11: without a manager everything works, and nothing above debug speaks of it")
  func noManager() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start reload stop")
    let daemon = try DaemonUnderTest(folder, manager: nil)
    await daemon.untilLogged("didBecomeActive")
    daemon.signal(SIGHUP)
    await daemon.untilLogged("generation 2")
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["10-a start start", "10-a reload reload", "10-a stop stop"])
    for line in daemon.log {
      let lower = line.lowercased()
      #expect(!["manager", "notify", "systemd", "<3>", "<4>"].contains { lower.contains($0) }, "\(line)")
    }
  }

  @Test("A16: the manager's socket vanishes: one warning, the service goes on, SIGTERM gives exit status 0")
  func vanished() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "reload stop")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    daemon.manager?.vanish()
    #expect(await eventually { access(daemon.manager?.address ?? "/", F_OK) != 0 })
    for count in 1...2 {
      daemon.signal(SIGHUP)
      await daemon.untilLogged("generation \(count + 1)")
    }
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["10-a reload reload", "10-a reload reload", "10-a stop stop"])
    #expect(daemon.log.filter { $0.hasPrefix("<4>") }.count == 1)
    #expect(daemon.log.filter { $0.contains("could not be told") }.count == 1)
  }

  /// Fills the manager's socket until nothing more fits.
  private func fill(_ manager: FakeServiceManager) throws {
    let sender = try #require(try NotifySender(socketPath: manager.address))
    for _ in 0..<10_000 {
      do { try sender.send("X_FILL=1") } catch { return }
    }
    Issue.record("the socket never became full")
  }

  @Test("A19: a manager that does not read blocks nothing; READY and STOPPING arrive once it reads")
  func fullSocket() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "foreground stop", "[ $LIFECYCLE_EVENT = foreground ] || \(HookFolder.wait(for: "go"))")
    let manager = try FakeServiceManager()
    manager.pauseReading()
    try fill(manager)
    let daemon = try DaemonUnderTest(folder, toldTo: manager)
    await daemon.untilRan("10-a foreground start")
    #expect(daemon.messages == [])
    manager.resumeReading()
    try await daemon.ready()
    manager.pauseReading()
    try fill(manager)
    daemon.signal(SIGTERM)
    await daemon.untilRan("10-a stop stop")
    manager.resumeReading()
    try await daemon.told("STOPPING=1")
    folder.touch("go")
    #expect(await daemon.ended() == .exited(0))
  }

  @Test("A17: however long and odd the text of a failure, STATUS is one valid line of at most 512 bytes")
  func longStatus() async throws {
    let long = "/" + String(repeating: "\u{FC}\u{1F40C}", count: 900)
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.write("10-a.hook", "[Hook]\nOn=reload\nExec=\(long)\n")
    let refused = try await daemon.reload()
    try folder.write("10-a.hook", "[Hook]\nOn=stop\nExec=\(long)\n")
    try await daemon.reload()
    #expect(await daemon.stop() == .exited(70))
    try folder.write("10-a.hook", "[Hook]\nOn=start\nExec=\(long)\n")
    let second = try DaemonUnderTest(folder)
    let stopping = try await second.told("STOPPING=1")
    #expect(await second.ended() == .exited(69))
    let last = try #require(daemon.manager?.messages.last)
    for message in [refused, stopping, last] {
      let text = try #require(String(validating: message.bytes, as: UTF8.self))
      let status = try #require(text.split(separator: "\n").first { $0.hasPrefix("STATUS=") })
      #expect(status.contains("10-a: cannot run /\u{FC}"))
      #expect((400...519).contains(status.utf8.count))
    }
  }
}
