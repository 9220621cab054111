/// What somebody sees who just runs lifecycled in a terminal.
import Foundation
import Glibc
import MediatorLinux
import Testing

@Suite("lifecycled on a terminal", .timeLimit(.minutes(5)))
struct TerminalTests {
  /// script(1) gives the daemon a terminal of its own.
  private func onTerminal(_ folder: HookFolder, colour: Bool) throws -> DaemonUnderTest {
    try DaemonUnderTest(
      folder, manager: nil, environment: ["TERM": "xterm", "NO_COLOR": colour ? "" : "1"],
      launcher: ["/bin/sh", "-c", "exec script -qec \"exec $0 $*\" /dev/null"])
  }

  private func processID(_ daemon: DaemonUnderTest) async throws -> Int32 {
    await daemon.untilLogged("kill -HUP ")
    let line = try #require(daemon.log.first { $0.contains("kill -HUP ") })
    let digits = try #require(line.components(separatedBy: "kill -HUP ").last).prefix { $0.isNumber }
    return try #require(Int32(digits))
  }

  @Test("without hooks it says where it looked and what to do, and prints each event as it happens")
  func events() async throws {
    let folder = try HookFolder()
    let daemon = try onTerminal(folder, colour: false)
    let process = try await processID(daemon)
    await daemon.untilLogged("didBecomeActive (start)")
    #expect(daemon.logs("there are no hooks and no programs in \(folder.path)"))
    kill(process, SIGHUP)
    await daemon.untilLogged("generation 2")
    kill(process, SIGTERM)
    #expect(await daemon.ended() == .exited(0))
    let events = [
      "willFinishLaunching (start)", "didFinishLaunching (start)", "willEnterForeground (start)",
      "didBecomeActive (start)", "prepareReload (reload)", "willResignActive (reload)", "didEnterBackground (reload)",
      "reload (reload)", "willEnterForeground (reload)", "didBecomeActive (reload)", "willResignActive (stop)",
      "didEnterBackground (stop)", "willTerminate (stop)",
    ]
    let seen = daemon.log.compactMap { line in
      events.first { line.trimmingCharacters(in: .whitespacesAndNewlines).dropFirst(9) == $0 }
    }
    #expect(seen == events)
    #expect(daemon.log.allSatisfy { $0.prefix(8).split(separator: ":").count == 3 && !$0.contains("\u{1B}") })
  }

  @Test("colour is there unless NO_COLOR asks for none")
  func colour() async throws {
    let daemon = try onTerminal(try HookFolder(), colour: true)
    let process = try await processID(daemon)
    await daemon.untilLogged("didBecomeActive (start)")
    #expect(daemon.logs("\u{1B}[1mdidBecomeActive (start)\u{1B}[0m"))
    kill(process, SIGINT)
    #expect(await daemon.ended() == .exited(0))
  }
}
