/// What a hook's commands get, and what becomes of what they print and leave behind.
import Foundation
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Hooks as processes", .timeLimit(.minutes(5)))
struct HookTests {
  /// What a hook printed; the daemon is stopped for it, since its log comes later than what the manager is told.
  private func printed(_ daemon: DaemonUnderTest, by name: String) async -> [String] {
    _ = await daemon.stop()
    return daemon.log.filter { $0.hasPrefix("<6>\(name): ") }.map { String($0.dropFirst(name.count + 5)) }
  }

  @Test("A14: a hook has the daemon's environment but for what the manager told the daemon alone")
  func environment() async throws {
    let folder = try HookFolder()
    try folder.write("10-a.hook", "[Hook]\nOn=start\nExec=/usr/bin/env\nEnvironment=MINE=1 KEPT=changed\n")
    let daemon = try DaemonUnderTest(
      folder,
      environment: [
        "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1", "LISTEN_PID": "1", "LISTEN_FDS": "0", "LISTEN_FDNAMES": "x",
        "MAINPID": "1", "SYSTEMD_EXEC_PID": "1", "KEPT": "kept", "OTHER": "kept",
      ])
    try await daemon.ready()
    let variables = await printed(daemon, by: "10-a")
    for name in ["NOTIFY_SOCKET", "WATCHDOG_", "LISTEN_", "MAINPID", "SYSTEMD_EXEC_PID"] {
      #expect(!variables.contains { $0.hasPrefix(name) })
    }
    let expected = [
      "MINE=1", "KEPT=changed", "OTHER=kept", "LIFECYCLE_EVENT=start", "LIFECYCLE_REASON=start",
      "LIFECYCLE_GENERATION=1", "LIFECYCLE_STATE=starting",
    ]
    for variable in expected { #expect(variables.contains(variable), "\(variable)") }
  }

  @Test("EnvironmentFile= is read when the hook runs, and $VARIABLES are replaced then")
  func environmentFile() async throws {
    let folder = try HookFolder()
    try folder.write(
      "10-a.hook",
      "[Hook]\nOn=start\nEnvironmentFile=\(folder.beside("made"))\nEnvironmentFile=-/nonexistent\n"
        + "Exec=/bin/sh -c 'echo WORDS=\\\\\"a b\\\\\" >\(folder.beside("made"))'\n")
    // The file is not there yet when the first command would run: it has to be there for the hook as a whole.
    let daemon = try DaemonUnderTest(folder)
    #expect(await daemon.ended() == .exited(69))
    #expect(daemon.logs("10-a failed in didFinishLaunching: cannot use \(folder.beside("made")): it does not exist"))
    try "WORDS=\"a b\"\nbroken line\n".write(toFile: folder.beside("made"), atomically: true, encoding: .utf8)
    try folder.write(
      "10-a.hook",
      "[Hook]\nOn=start\nEnvironmentFile=\(folder.beside("made"))\nExec=/usr/bin/printf '[%%s]\\n' $WORDS ${WORDS} $$\n"
    )
    let second = try DaemonUnderTest(folder)
    try await second.ready()
    #expect(await printed(second, by: "10-a") == ["[a]", "[b]", "[a b]", "[$]"])
  }

  @Test(
    "C10: a hook has no blocked signal, and none ignored but glibc's own",
    arguments: geteuid() == 0 ? ["", "User=daemon"] : [""])
  func signalState(keys: String) async throws {
    let folder = try HookFolder()
    try folder.write(
      "10-a.hook", "[Hook]\nOn=start\nExec=/bin/grep -E 'Sig(Blk|Ign):' /proc/self/status\n\(keys)\n")
    let daemon = try DaemonUnderTest(
      folder, launcher: ["/usr/bin/env", "--block-signal=USR1", "--ignore-signal=INT", "--ignore-signal=PIPE"])
    try await daemon.ready()
    let bits = await printed(daemon, by: "10-a").compactMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) }
    try #require(bits.count == 2)
    #expect(bits[0] == 0)
    #expect(bits[1] & ~0x1_8000_0000 == 0)
  }

  @Test(
    "C16: with a log that nobody reads any more, or that is closed, everything goes on",
    arguments: ["2>&-", "2> >(exit 0)", "2>/dev/full"])
  func lostLog(redirection: String) async throws {
    let folder = try HookFolder()
    // Of this a line tells right at the beginning.
    try folder.write("lifecycled.conf", "[Lifecycle]\nUnknown=yes\n")
    try folder.hook("10-a", on: "start reload stop", "echo something; echo else >&2")
    let daemon = try DaemonUnderTest(
      folder, launcher: ["/bin/bash", "-c", "exec \"$0\" \"$@\" \(redirection)"])
    try await daemon.ready()
    for _ in 0..<3 { #expect(try await daemon.reload().value(of: "STATUS") == "running") }
    let end = await daemon.stop()
    #expect(end == .exited(0), "\(daemon.messages)")
    let reloads = [String](repeating: "10-a reload reload", count: 3)
    #expect(folder.ran == ["10-a start start"] + reloads + ["10-a stop stop"])
  }

  @Test("C19: what the administrator put there is still there after the stop")
  func filesStay() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start stop")
    let before = try String(contentsOfFile: folder.path + "/10-a.hook", encoding: .utf8)
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    #expect(await daemon.stop() == .exited(0))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["10-a.hook"])
    #expect(try String(contentsOfFile: folder.path + "/10-a.hook", encoding: .utf8) == before)
  }

  @Test("F18: what a hook prints cannot forge a priority or reach a terminal; a last line without its end counts")
  func escapes() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start", #"printf '<0>x\rz\n\033[2J\n\233\377\ntab\there\nend'"#)
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    await daemon.untilLogged("end")
    #expect(
      await printed(daemon, by: "10-a") == [#"<0>x\x0dz"#, #"\x1b[2J"#, #"\x9b\xff"#, "tab\there", "end"])
    #expect(!daemon.rawLog.contains { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 })
  }

  @Test("a line of more than 8 KiB comes in pieces, and nothing of it is lost")
  func longLine() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start", "head -c 20000 /dev/zero | tr '\\0' y; echo; echo after")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    await daemon.untilLogged("10-a: after")
    #expect(await printed(daemon, by: "10-a").map(\.utf8.count) == [8192, 8192, 3616, 5])
  }

  @Test(
    "F20: run as root, a hook that others may write is refused by name, at start and in a reload",
    .enabled(if: geteuid() == 0, "needs root"), arguments: ["10-a.hook", "10-a.hook.d/more.conf", ""])
  func writableByOthers(name: String) async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start stop")
    try folder.write("10-a.hook.d/more.conf", "[Hook]\nTimeoutSec=9\n")
    try await folder.isRefused(whenOthersMayWrite: name)
    #expect(folder.ran == ["10-a start start", "10-a stop stop"])
  }

  @Test(
    "User= gives a hook that user's groups, home, shell and name, and nothing of root's",
    .enabled(if: geteuid() == 0, "needs root"))
  func user() async throws {
    let folder = try HookFolder()
    try folder.write(
      "10-a.hook",
      "[Hook]\nOn=start\nUser=daemon\nEnvironment=MINE=1\nWorkingDirectory=/usr\n"
        + "Exec=sh -c 'id -un; id -Gn; pwd; env' $HOME ${LOGNAME}\n")
    try folder.write(
      "20-b.hook", "[Hook]\nOn=start\nUser=daemon\nGroup=nogroup\nEnvironment=HOME=/mine\nExec=sh -c 'id -gn; env'\n")
    try folder.write("30-c.hook", "[Hook]\nOn=start\nGroup=daemon\nExec=sh -c 'id -un; id -gn'\n")
    try folder.write("40-d.hook", "[Hook]\nOn=start\nUser=54321\nExec=sh -c 'id -u; id -g; id -G'\n")
    let daemon = try DaemonUnderTest(folder, environment: ["HOME": "/root", "USER": "root", "LOGNAME": "root"])
    try await daemon.ready()
    let first = await printed(daemon, by: "10-a")
    #expect(first.prefix(3) == ["daemon", "daemon", "/usr"])
    for line in ["USER=daemon", "LOGNAME=daemon", "HOME=/usr/sbin", "SHELL=/usr/sbin/nologin", "MINE=1"] {
      #expect(first.contains(line), "\(line)")
    }
    #expect(!first.contains { $0.contains("root") && $0.hasPrefix("HOME") || $0.hasPrefix("NOTIFY_SOCKET") })
    #expect(await printed(daemon, by: "20-b").first == "nogroup")
    #expect(await printed(daemon, by: "20-b").contains("HOME=/mine"))
    #expect(await printed(daemon, by: "30-c") == ["root", "daemon"])
    #expect(await printed(daemon, by: "40-d") == ["54321", "54321", "54321"])
  }

  @Test(
    "what keeps a hook from running is named with its errno",
    arguments: [
      ("Exec=/nonexistent", "cannot run /nonexistent: No such file or directory", ENOENT),
      ("Exec=/etc/passwd", "cannot run /etc/passwd: Permission denied", EACCES),
      ("Exec=no-such-program", "cannot run no-such-program: No such file or directory", ENOENT),
      ("Exec=/bin/true\nWorkingDirectory=/nonexistent", "cannot enter /nonexistent: No such file or directory", ENOENT),
      ("Exec=/bin/true\nUser=nobody-at-all", "there is no user nobody-at-all", ESRCH),
      ("Exec=/bin/true\nGroup=nobody-at-all", "there is no group nobody-at-all", ESRCH),
      ("Exec=/nonexistent\nUser=daemon", "cannot run /nonexistent: No such file or directory", ENOENT),
      ("Exec=/bin/true\nUser=daemon\nWorkingDirectory=/root", "cannot enter /root: Permission denied", EACCES),
    ])
  func cannotRun(keys: String, message: String, code: Int32) async throws {
    if keys.contains("User=daemon"), geteuid() != 0 { return }
    let folder = try HookFolder()
    try folder.write("10-a.hook", "[Hook]\nOn=start\n\(keys)\n")
    let daemon = try DaemonUnderTest(folder)
    let told = try await daemon.told("STOPPING=1")
    #expect(told.value(of: "STATUS") == "start failed: 10-a: \(message)")
    #expect(told.value(of: "ERRNO") == "\(code)")
    #expect(await daemon.ended() == .exited(69))
    #expect(daemon.log.filter { $0.contains(message) } == ["<3>10-a failed in didFinishLaunching: \(message)"])
  }

  @Test(
    "an exit, a signal and the failure of the second command are told apart; - ignores one",
    arguments: [
      ("Exec=sh -c 'exit 3'", "exited 3"), ("Exec=sh -c 'kill -9 $$$$'", "killed by SIGKILL"),
      ("Exec=-/bin/false\nExec=/bin/true\nExec=/bin/false\nExec=/bin/echo never", "exited 1 (command 3, /bin/false)"),
    ])
  func failures(keys: String, message: String) async throws {
    let folder = try HookFolder()
    try folder.write("10-a.hook", "[Hook]\nOn=start\n\(keys)\n")
    let daemon = try DaemonUnderTest(folder)
    #expect(try await daemon.told("STOPPING=1").value(of: "STATUS") == "start failed: 10-a: \(message)")
    #expect(await daemon.ended() == .exited(69))
    #expect(!daemon.logs("never"))
  }

  @Test(
    "a hook that takes too long is ended with all of its group, by SIGKILL if need be",

    arguments: ["sleep 300", "(trap '' TERM; exec sleep 300)", "trap '' TERM; sleep 300"])
  func timeout(command: String) async throws {
    let folder = try HookFolder()
    try folder.hook(
      "10-a", on: "start", "\(command) & echo $! >>$ROOT/pids; echo $$ >>$ROOT/pids; wait; wait",
      keys: "TimeoutSec=300ms")
    let daemon = try DaemonUnderTest(folder)
    let message = try await daemon.told("STOPPING=1")
    #expect(message.value(of: "STATUS") == "start failed: 10-a: timed out after 300ms")
    #expect(await daemon.ended() == .exited(69))
    let pids = try String(contentsOfFile: folder.beside("pids"), encoding: .utf8)
      .split(separator: "\n").compactMap { Int32($0) }
    #expect(pids.count == 2)
    for pid in pids { #expect(await eventually { kill(pid, 0) != 0 }, "\(pid) lives") }
  }

  @Test("what a hook that succeeded left running lives on")
  func leftRunning() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start", "sleep 60 & echo $! >$ROOT/pid")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let text = try String(contentsOfFile: folder.beside("pid"), encoding: .utf8)
    let pid = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(pid, 0) == 0)
    #expect(await daemon.stop() == .exited(0))
    #expect(kill(pid, SIGKILL) == 0)
  }
}
