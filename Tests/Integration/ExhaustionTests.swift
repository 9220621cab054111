import Foundation
import Glibc
import MediatorLinux
import Testing

/// What the kernel refuses costs what needs it, but neither the stop nor a word of why.
@Suite("What is used up", .timeLimit(.minutes(5)))
struct ExhaustionTests {
  private let folder: HookFolder

  init() throws {
    folder = try HookFolder()
    try folder.hook("10-a", on: "start stop")
    for name in ["20-b", "30-c"] {
      try folder.write("\(name).process", "[Process]\nExec=/bin/sleep 1000\nHealth=exec /bin/true\n")
    }
  }

  private func start(_ launcher: [String]) throws -> DaemonUnderTest {
    try DaemonUnderTest(folder, manager: nil, launcher: ["/usr/bin/env"] + launcher)
  }

  /// Until it serves, or has given up.
  private func settled(_ daemon: DaemonUnderTest) async {
    let gaveUp = "finished with exit status"
    _ = await eventually { daemon.logs("didBecomeActive") || daemon.logs(gaveUp) || !isThere(daemon) }
  }

  private func isThere(_ daemon: DaemonUnderTest) -> Bool { kill(daemon.processID, 0) == 0 }

  @Test(
    "With hardly a thread or a process to be had it serves or says why not, and one signal ends it",
    .enabled(if: geteuid() == 0, "root has no such limit, and has to become somebody who has"), arguments: 3...12)
  func processes(limit: Int) async throws {
    // A user of its own for each: the limit counts all that is a user's.
    let user = 61_000 + limit
    let daemon = try start(["setpriv", "--reuid=\(user)", "--clear-groups", "prlimit", "--nproc=\(limit)"])
    await settled(daemon)
    let end = await daemon.stop()
    #expect([0, 69, 70].contains { end == .exited($0) }, "\(end): \(daemon.log)")
  }

  @Test("With hardly a descriptor to be had it serves or says why not", arguments: 6...24)
  func descriptors(limit: Int) async throws {
    let daemon = try start(["prlimit", "--nofile=\(limit)"])
    await settled(daemon)
    let end = await daemon.stop()
    #expect([0, 69, 70].contains { end == .exited($0) }, "\(end): \(daemon.log)")
    #expect(end == .exited(0) || daemon.logs("Too many open files"), "\(daemon.log)")
  }
}
