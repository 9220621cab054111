/// No limit counts on the wall clock, which an administrator may turn.
import Foundation
import Glibc
import MediatorLinux
import Testing

@Suite("No timer follows the wall clock", .timeLimit(.minutes(5)))
struct WallClockTests {
  @Test("F10: every timer of a loop counts on CLOCK_MONOTONIC or CLOCK_BOOTTIME, by what the kernel says of it")
  func clocks() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let before = Set(timerClocks().keys)
      let loop = try EventLoop(name: "clocks")
      let fired = Log<Int>()
      loop.timer(after: .milliseconds(1)) { fired.add(1) }
      loop.timer(after: .seconds(1000)) {}
      precondition(fired.wait(for: 1) == [1])
      let ours = timerClocks().filter { !before.contains($0.key) }
      precondition(!ours.isEmpty, "sd-event has no timer")
      precondition(ours.values.allSatisfy { $0 == CLOCK_MONOTONIC || $0 == CLOCK_BOOTTIME }, "\(ours)")
      loop.shutdown()
      exit(0)
    }
  }

  @Test("F10: no code that counts time reads the wall clock")
  func sources() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sources")
    let words = [
      "CLOCK_REALTIME", "gettimeofday", "Date()", "Date.now", "DispatchWallTime", "wallDeadline", "time(nil)",
    ]
    // These tell people when something happened, or that the clock was set, and count nothing with it.
    let stamping = ["ControlInterface.swift", "ControlMethods.swift", "machine.c"]
    for room in [
      "Mediator", "MediatorLinux", "MediatorBridge", "CMediatorLinux", "lifecycled/Programs", "lifecycled/Hooks",
      "lifecycled/Daemon",
    ] {
      let files = FileManager.default.enumerator(at: root.appendingPathComponent(room), includingPropertiesForKeys: nil)
      var count = 0
      while let file = files?.nextObject() as? URL {
        guard ["swift", "c", "h"].contains(file.pathExtension), !stamping.contains(file.lastPathComponent) else {
          continue
        }
        count += 1
        let text = try String(contentsOf: file, encoding: .utf8)
        for word in words { #expect(!text.contains(word), "\(word) in \(file.path)") }
      }
      #expect(count > 0, "\(room)")
    }
  }
}

/// The clock of each timer descriptor of this process, by the number of the descriptor (timerfd_create(2)).
private func timerClocks() -> [String: Int32] {
  var clocks: [String: Int32] = [:]
  for descriptor in entries(of: "/proc/self/fdinfo") {
    let lines = contents(of: "/proc/self/fdinfo/\(descriptor)").split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("clockid:") }) else { continue }
    clocks[descriptor] = Int32(line.dropFirst(8).trimmingCharacters(in: .whitespaces))
  }
  return clocks
}
