/// Hooks on the machine's sleep and shutdown, against python3-dbusmock's logind on a bus of their own.
import Glibc
import LogindMock
import MediatorLinux
import Testing

@Suite("Hooks on the machine's sleep", .timeLimit(.minutes(5)))
struct SleepTests {
  private let folder: HookFolder
  private let bus: PrivateBus

  init() throws {
    folder = try HookFolder()
    bus = try PrivateBus()
  }

  private func startBus() async throws {
    try bus.start()
    #expect(await eventually { bus.isUp })
  }

  private func logind(patience: UInt64 = 60_000_000) async throws -> MockLogind {
    let logind = try MockLogind(on: bus, patience: patience)
    #expect(await eventually { logind.isThere })
    return logind
  }

  private func daemon() throws -> DaemonUnderTest {
    try DaemonUnderTest(
      folder, arguments: ["--log-level", "debug"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
  }

  private func held(_ count: Int, of logind: MockLogind, sourceLocation: SourceLocation = #_sourceLocation) async {
    #expect(await eventually { logind.held == count }, "\(logind.held)", sourceLocation: sourceLocation)
  }

  /// With a hook for sleep and wake, for which logind waits.
  private func asked() async throws -> (MockLogind, DaemonUnderTest) {
    try await startBus()
    try folder.hook("10-a", on: "sleep wake")
    let logind = try await logind()
    let daemon = try daemon()
    try await daemon.ready()
    await held(1, of: logind)
    return (logind, daemon)
  }

  @Test("the machine waits until the last hook has slept, in reverse order, and a new lock comes with the wake")
  func sleep() async throws {
    try await startBus()
    let logind = try await logind()
    try folder.hook("10-a", on: "sleep wake", "[ $LIFECYCLE_EVENT = wake ] || \(HookFolder.wait(for: "go"))")
    try folder.hook("20-b", on: "sleep background foreground")
    let daemon = try daemon()
    try await daemon.ready()
    await held(1, of: logind)
    #expect(logind.taken == ["sleep:shutdown/lifecycled delay"])
    try logind.say("Sleep true")
    await daemon.untilRan("10-a sleep sleep")
    #expect(logind.held == 1)
    folder.touch("go")
    await held(0, of: logind)
    try await daemon.told("STATUS=paused")
    try logind.say("Sleep false")
    await daemon.untilRan("20-b foreground sleep")
    await held(1, of: logind)
    #expect(
      folder.ran == [
        "20-b foreground start", "20-b sleep sleep", "10-a sleep sleep", "10-a wake sleep", "20-b foreground sleep",
      ])
    #expect(await daemon.stop() == .exited(0))
    await held(0, of: logind)
  }

  @Test(
    "a hook that hangs keeps the machine no longer than logind waits, which is a warning; the wake comes all the same")
  func hangs() async throws {
    try await startBus()
    let logind = try await logind(patience: 500_000)
    try folder.hook("10-a", on: "sleep", HookFolder.wait(for: "go"))
    try folder.hook("20-b", on: "wake")
    let daemon = try daemon()
    try await daemon.ready()
    await held(1, of: logind)
    try logind.say("Sleep true")
    await held(0, of: logind)
    await daemon.untilRan("10-a sleep sleep")
    await daemon.untilLogged("not all are in the background after 450ms")
    try logind.say("Sleep false")
    folder.touch("go")
    await daemon.untilRan("20-b wake sleep")
    await held(1, of: logind)
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("a shutdown has the service in the background first, and its stop follows without a second one")
  func shutdown() async throws {
    try await startBus()
    let logind = try await logind()
    try folder.hook("10-a", on: "sleep background stop")
    let daemon = try daemon()
    try await daemon.ready()
    await held(1, of: logind)
    try logind.say("Shutdown true")
    await held(0, of: logind)
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["10-a sleep sleep", "10-a stop stop"])
  }

  @Test("without a bus nothing is said and nothing is missing; once there are a bus and logind, there is a lock")
  func late() async throws {
    try folder.hook("10-a", on: "wake")
    let daemon = try daemon()
    try await daemon.ready()
    try await daemon.reload()
    #expect(!daemon.log.contains { $0.hasPrefix("<4>") || $0.hasPrefix("<3>") }, "\(daemon.log)")
    try await startBus()
    let logind = try await logind()
    await held(1, of: logind)
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("logind that is restarted gives a new lock; where it is gone in a sleep, or the bus is, the next one wakes us")
  func restarted() async throws {
    let (first, daemon) = try await asked()
    first.end()
    let second = try await logind()
    await held(1, of: second)
    #expect(folder.ran == [])
    try second.say("Sleep true")
    await held(0, of: second)
    second.end()
    let third = try await logind()
    await daemon.untilRan("10-a wake sleep")
    await held(1, of: third)
    folder.forget()
    try third.say("Sleep true")
    await held(0, of: third)
    bus.stop()
    #expect(folder.ran == ["10-a sleep sleep"])
    try await startBus()
    let fourth = try await logind()
    await held(1, of: fourth)
    await daemon.untilRan("10-a wake sleep")
    #expect(folder.ran == ["10-a sleep sleep", "10-a wake sleep"])
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("what somebody says who does not own logind's name means nothing, also when he says that he does")
  func stranger() async throws {
    let (first, daemon) = try await asked()
    try first.say("forge -")
    #expect(await eventually { first.has(done: "forge -") })
    first.end()
    let second = try await logind()
    await held(1, of: second)
    #expect(folder.ran == [])
    #expect(await daemon.stop() == .exited(0))
  }

  @Test(
    "the machine waits only for a hook that names sleep, as event or reason, also one that a reload brings or takes")
  func needed() async throws {
    try await startBus()
    let logind = try await logind()
    try folder.hook("10-a", on: "background foreground")
    let daemon = try daemon()
    try await daemon.ready()
    try await daemon.reload()
    #expect(logind.taken == [])
    try folder.hook("10-a", on: "background foreground", keys: "Reason=sleep")
    try await daemon.reload()
    await held(1, of: logind)
    try logind.say("Sleep true")
    await daemon.untilRan("10-a background sleep")
    await held(0, of: logind)
    try logind.say("Sleep false")
    await daemon.untilRan("10-a foreground sleep")
    await held(1, of: logind)
    try folder.remove("10-a.hook")
    try await daemon.reload()
    await held(0, of: logind)
    #expect(await daemon.stop() == .exited(0))
  }
}
