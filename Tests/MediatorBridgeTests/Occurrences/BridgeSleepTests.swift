import Glibc
import LogindMock
import Mediator
import MediatorBridge
import MediatorLinux
import Testing

/// Sees the background with the lock that is held there.
private final class Sleeper: SleepListener {
  let log: Lines
  let gate = Gate()
  var name: String { "sleeper" }

  init(log: Lines) { self.log = log }

  func didBecomeActive(_ transition: LifecycleTransition) async throws {
    log.add("active \(transition.reason) \(transition.origin == .system)")
  }

  func didEnterBackground(_ transition: LifecycleTransition) async throws {
    log.add("background \(transition.reason) \(transition.origin == .system)")
    if transition.reason == .sleep { gate.waitOpen() }
  }
}

/// The environment belongs to the whole process, so this runs in a process of its own.
@Suite("The machine's sleep, through the bridge", .timeLimit(.minutes(5)))
struct BridgeSleepTests {
  @Test("a listener that declares the ability has the machine wait until it is in the background")
  func sleep() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let bus = try PrivateBus()
      try bus.start()
      await eventually { bus.isUp }
      setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address, 1)
      let logind = try MockLogind(on: bus)
      await eventually { logind.isThere }
      let log = Lines()
      let sleeper = Sleeper(log: log)
      let bridge = try LifecycleBridge { sleeper }
      let run = Task { await bridge.run() }
      await eventually { logind.held == 1 }
      try logind.say("Sleep true")
      await eventually { log.all.count == 2 }
      precondition(logind.held == 1, "let go before the listener was in the background")
      sleeper.gate.stayOpen()
      await eventually { logind.held == 0 }
      precondition(bridge.lifecycle.state == .background, "\(bridge.lifecycle.state)")
      try logind.say("Sleep false")
      await eventually { logind.held == 1 }
      try await bridge.lifecycle.state(.foreground)
      precondition(
        log.all == ["active start false", "background sleep true", "active sleep true"], "\(log.all)")
      kill(getpid(), SIGTERM)
      let status = await run.value
      await eventually { logind.held == 0 }
      precondition(status == 0 && logind.held == 0)
      logind.end()
      bus.stop()
      exit(0)
    }
  }
}
