import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@testable import MediatorBridge

/// The bridge is there once in a process, and its watchdog comes from the environment: so these run in processes of
/// their own.
@Suite("What cannot be sent to the manager", .timeLimit(.minutes(5)))
struct SendFaultTests {
  @Test("Every errno at every place of a life: it goes on, one report, and what must arrive does so in order")
  func everywhere() async {
    await #expect(processExitsWith: .exitCode(0)) {
      setenv("WATCHDOG_USEC", "10000000", 1)
      var count = 0
      for code in [ENOENT, ECONNREFUSED, EACCES, EMSGSIZE, EPERM, EAGAIN, ENOBUFS, EINTR] {
        for place in WireUnderTest.Place.allCases {
          let isFull = [EAGAIN, ENOBUFS, EINTR].contains(code)
          // A full socket is full for a while.
          let wire = WireUnderTest(failing: place, with: code, times: isFull ? 2 : 1)
          let life = try await BridgeLife.live(over: wire)
          let what = "errno \(code) at \(place): \(life), \(wire.arrived)"
          precondition(life.status == 0, what)
          precondition(life.troubles == [code], what)
          var states = ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"]
          if !isFull, let lost = place.state { states.remove(at: lost) }
          precondition(wire.states == states, what)
          count += 1
        }
      }
      print("send faults: \(count) lives")
      exit(0)
    }
  }

  @Test("A manager that is gone for good: one report in a whole life, exit 0; one that comes back and goes: one more")
  func gone() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let gone = WireUnderTest(failing: .first, with: ECONNREFUSED, times: .max)
      let life = try await BridgeLife.live(over: gone)
      precondition(life.status == 0 && life.troubles == [ECONNREFUSED] && gone.arrived.isEmpty, "\(life)")
      let twice = WireUnderTest(failing: .first, with: ENOENT, times: 2)
      twice.fail(at: .stopping, with: EPERM, times: 1)
      let other = try await BridgeLife.live(over: twice)
      precondition(other.status == 0 && other.troubles == [ENOENT, EPERM], "\(other)")
      precondition(twice.states == ["READY=1", "RELOADING=1", "READY=1"], "\(twice.arrived)")
      exit(0)
    }
  }

  @Test("A16: the manager's socket is removed, or nobody is bound to it any more: one report, exit 0")
  func realSockets() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let manager = try FakeServiceManager()
      setenv("NOTIFY_SOCKET", manager.address, 1)
      let removed = try await BridgeLife.live(over: nil) {
        _ = await manager.next(saying: "READY=1")
        manager.vanish()
        await eventually { access(manager.address, F_OK) != 0 }
        return 0
      }
      precondition(removed.status == 0 && removed.troubles == [ENOENT], "\(removed)")

      let left = NSTemporaryDirectory() + "/left-\(UInt64.random(in: 0 ... .max))"
      bindAndLeave(left)
      setenv("NOTIFY_SOCKET", left, 1)
      let refused = try await BridgeLife.live(over: nil)
      unlink(left)
      precondition(refused.status == 0 && refused.troubles == [ECONNREFUSED], "\(refused)")
      exit(0)
    }
  }

  @Test("A19: a manager that does not read: nothing blocks, one report, and the rest arrives in order once it reads")
  func fullQueue() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let manager = try FakeServiceManager()
      setenv("NOTIFY_SOCKET", manager.address, 1)
      let junk = try NotifySender(socketPath: manager.address)
      let life = try await BridgeLife.live(over: nil) {
        manager.pauseReading()
        while (try? junk?.send("X_JUNK=1")) != nil {}
        return 2
      } beforeStop: {
        manager.resumeReading()
      }
      precondition(life.status == 0 && life.troubles == [EAGAIN], "\(life)")
      await eventually { manager.messages.contains { $0.says("STOPPING=1") } }
      let states = manager.messages.flatMap(\.lines).filter { WireUnderTest.states.contains($0) }
      precondition(states.first == "READY=1" && states.last == "STOPPING=1", "\(states.suffix(5))")
      let reloads = states.dropFirst().dropLast()
      precondition(reloads.count == 2 * 3, "\(reloads.count)")
      let inOrder = reloads.enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? "RELOADING=1" : "READY=1") }
      precondition(inOrder)
      exit(0)
    }
  }
}

/// A socket file that nobody reads.
private func bindAndLeave(_ path: String) {
  let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let bound = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  precondition(bound == 0)
  close(descriptor)
}
