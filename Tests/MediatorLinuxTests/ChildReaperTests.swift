/// Orphans that become ours. Each test has a process of its own: SIGCHLD and the orphans of a process are one thing.
import Glibc
import MediatorLinux
import Testing

@Suite("Child reaper", .timeLimit(.minutes(5)))
struct ChildReaperTests {
  struct Reaped: Hashable, Sendable {
    var pid: Int32
    var status: ExitStatus
  }

  /// Reaps on a loop of its own.
  final class Reaping: Sendable {
    let loop: EventLoop
    let reaper: ChildReaper
    let log = Log<Reaped>()

    init() throws {
      loop = try EventLoop(name: "reaper")
      reaper = try ChildReaper(on: loop, subreaper: true) { [log] in log.add(Reaped(pid: $0, status: $1)) }
    }

    deinit {
      reaper.stop()
      loop.shutdown()
    }

    /// Nobody is left, dead or alive.
    var isAlone: Bool { waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD }
  }

  @Test("C11: an orphan of a double fork is reaped within a second, and how it ended is told")
  func orphan() async {
    await #expect(processExitsWith: .success) {
      let (reaping, stage) = (try Reaping(), try ChildTests.Stage())
      _ = try stage.shell("(setsid sh -c 'echo $$; sleep 0.1; exit 7' &)")
      _ = eventually { stage.output.hasSuffix("\n") }
      let pid = try #require(Int32(stage.output.dropLast()))
      #expect(stage.end().status == .exited(0))
      #expect(reaping.log.wait(for: 1) == [Reaped(pid: pid, status: .exited(7))])
      #expect(eventually(within: .seconds(1)) { reaping.isAlone })
    }
  }

  @Test("C11: a thousand orphans are reaped while two hundred children end, each with its own status")
  func storm() async {
    await #expect(processExitsWith: .success) {
      let (reaping, stage) = (try Reaping(), try ChildTests.Stage())
      let ended = Log<ExitStatus>()
      onThreads(4) { thread in
        for index in 0..<50 {
          let script = "for i in 1 2 3 4 5; do (exit 9 &); done; exit \((thread * 50 + index) % 7)"
          let request = SpawnRequest(executable: "/bin/sh", arguments: ["sh", "-c", script], output: .null)
          _ = try? Child.start(request, on: stage.loop, exited: { ended.add($0) })
        }
      }
      let expected = (0..<200).map { "\(ExitStatus.exited(Int32($0 % 7)))" }.sorted()
      #expect(ended.wait(for: 200, within: .seconds(60)).map { "\($0)" }.sorted() == expected)
      #expect(reaping.log.wait(for: 1000, within: .seconds(60)).allSatisfy { $0.status == .exited(9) })
      #expect(eventually(within: .seconds(1)) { reaping.isAlone })
      #expect(reaping.log.count == 1000)
    }
  }

  @Test("a child that has ended, and is not looked at yet, hides no orphan and keeps its status")
  func hidden() async {
    await #expect(processExitsWith: .success) {
      let (reaping, stage) = (try Reaping(), try ChildTests.Stage())
      let (blocked, blocking) = (Gate(), Log<Bool>())
      _ = try stage.shell("exec >/dev/null 2>&1; sleep 0.2; exit 5", output: .null)
      let child = try stage.shell("(sleep 0.4; exit 9) & (sleep 0.5; exit 8) & exec >/dev/null 2>&1; exit 6")
      stage.loop.submit {
        blocking.add(true)
        blocked.waitOpen()
      }
      _ = blocking.wait(for: 1)
      #expect(Set(reaping.log.wait(for: 2).map(\.status)) == [.exited(9), .exited(8)])
      blocked.stayOpen()
      #expect(
        eventually { stage.log.all.filter { [.exited(.exited(5)), .exited(.exited(6))].contains($0) }.count == 2 })
      #expect(eventually { reaping.isAlone })
      _ = child
    }
  }

  @Test("a program that cannot be run fails the start in the same way, again and again")
  func failedStart() async {
    await #expect(processExitsWith: .success) {
      let (reaping, stage) = (try Reaping(), try ChildTests.Stage())
      for _ in 0..<200 {
        #expect(throws: LinuxError("posix_spawn", ENOENT)) {
          try stage.start(SpawnRequest(executable: "/nonexistent", arguments: ["x"]))
        }
      }
      #expect(eventually { reaping.isAlone })
      #expect(reaping.log.count == 0)
    }
  }

  @Test("one at a time; its children have SIGCHLD at its default, and stopping puts everything back")
  func claim() async {
    await #expect(processExitsWith: .success) {
      let stage = try ChildTests.Stage()
      let before = statusLine("SigCgt", of: "self")
      let reaping = try Reaping()
      #expect(statusLine("SigCgt", of: "self") != before)
      #expect(throws: LinuxError("sigaction", EBUSY)) { try ChildReaper(on: stage.loop) { _, _ in } }
      _ = try stage.start(
        SpawnRequest(executable: "/bin/sed", arguments: ["sed", "-n", "/Sig[BC][lg][kt]/p", "/proc/self/status"]))
      let zero = String(repeating: "0", count: 16)
      #expect(stage.end().output == "SigBlk:\t\(zero)\nSigCgt:\t\(zero)\n")
      reaping.reaper.stop()
      #expect(statusLine("SigCgt", of: "self") == before)
      let late = try ChildTests.Stage()
      _ = try late.shell("(sh -c 'sleep 0.2; read _ _ _ parent _ </proc/$$/stat; echo $parent' &)")
      #expect(eventually { late.output.hasSuffix("\n") })
      #expect(late.output != "\(getpid())\n")
      let again = try ChildReaper(on: stage.loop) { _, _ in }
      again.stop()
    }
  }
}
