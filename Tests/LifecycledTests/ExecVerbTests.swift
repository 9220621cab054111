import Foundation
import Glibc
import MediatorLinux
import Testing

@testable import lifecycled

@Suite("The verb that becomes a program", .timeLimit(.minutes(5)))
struct ExecVerbTests {
  /// It lies beside the test bundle.
  private static let binary: String = {
    let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appendingPathComponent("lifecycled").path
  }()

  /// Runs the built lifecycled as the verb, to its end.
  private func run(
    _ verb: ExecVerb, environment: [String] = [], descriptors: [Int32: Int32] = [:]
  ) throws -> (pid: Int32, status: MediatorLinux.ExitStatus, output: String) {
    let loop = try EventLoop(name: "verb")
    defer { loop.shutdown() }
    let (output, end, ended) = (Guarded<[UInt8]>([]), Guarded(MediatorLinux.ExitStatus.unknown), Gate())
    let child = try Child.start(
      SpawnRequest(
        executable: Self.binary, arguments: ["lifecycled"] + verb.arguments,
        environment: ["PATH=/usr/bin:/bin"] + environment, descriptors: descriptors),
      on: loop, output: { bytes in output.withLock { $0 += bytes } },
      exited: { status in
        end.withLock { $0 = status }
        ended.stayOpen()
      })
    ended.waitOpen()
    return (child.processID, end.withLock { $0 }, String(decoding: output.withLock { $0 }, as: UTF8.self))
  }

  @Test(
    "its options stand before the rest of its command line, which says what it read",
    arguments: [
      [
        "--cgroup=/sys/fs/cgroup/a b", "--listen-pid", "--watchdog-pid", "daemon", "", "/", "/bin/true", "--listen-pid",
      ],
      ["--watchdog-pid", "", "", "", "x"], ["--", "--listen-pid", "", "", "x"],
      ["--listen-pid", "--", "--odd", "", "", "x"], ["", "", "", "x", "--", "--cgroup=y"],
    ])
  func commandLine(arguments: [String]) {
    #expect(ExecVerb(arguments: arguments)?.arguments == ["@exec"] + arguments)
  }

  @Test(
    "what it never writes is refused",
    arguments: [
      ["--cgroup=", "", "", "", "x"], ["--cgroup", "/a", "", "", "", "x"], ["--other", "", "", "", "x"],
      ["--listen-pid", "", "", ""], ["--", "", "", ""],
    ])
  func refused(arguments: [String]) { #expect(ExecVerb(arguments: arguments) == nil) }

  @Test("LISTEN_PID and WATCHDOG_PID are the program's own number, and its sockets are where they belong")
  func ownNumber() throws {
    var verb = ExecVerb(
      program: "sh", arguments: ["-c", "echo $$$$ $$LISTEN_PID $$WATCHDOG_PID ${LISTEN_PID}; ls /proc/$$$$/fd; true"])
    (verb.tellsListenPID, verb.tellsWatchdogPID) = (true, true)
    let (socket, other) = (open("/dev/null", O_RDWR | O_CLOEXEC), open("/dev/zero", O_RDONLY))
    defer { for descriptor in [socket, other] { close(descriptor) } }
    let ran = try run(verb, environment: ["LISTEN_FDS=2", "LISTEN_PID=1"], descriptors: [3: socket, 4: other])
    #expect(ran.status == .exited(0))
    let pid = "\(ran.pid)"
    #expect(
      ran.output.split(separator: "\n").map(String.init)
        == ["\(pid) \(pid) \(pid) \(pid)", "0", "1", "2", "3", "4"])
  }

  @Test("without being asked it sets neither")
  func notAsked() throws {
    let verb = ExecVerb(program: "sh", arguments: ["-c", "echo $$LISTEN_PID $$WATCHDOG_PID."])
    #expect(try run(verb, environment: ["LISTEN_PID=1"]).output == "1 .\n")
  }

  @Test("it enters the control group before anything else, by its own number")
  func controlGroup() throws {
    let folder = "\(NSTemporaryDirectory())/verb-test-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = "\(folder)/cgroup.procs"
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    var verb = ExecVerb(program: "true", arguments: [])
    verb.controlGroup = folder
    let ran = try run(verb)
    #expect(ran.status == .exited(0))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "\(ran.pid)")
  }

  @Test("a control group that it cannot enter ends it with 219, whatever else is wrong")
  func noControlGroup() throws {
    var verb = ExecVerb(program: "/nonexistent", arguments: [], user: "nobody-at-all")
    verb.controlGroup = "/nonexistent"
    let ran = try run(verb)
    #expect(ran.status == .exited(219))
    #expect(
      ExecVerb.Problem(line: Array(ran.output.dropLast().utf8))
        == ExecVerb.Problem(219, errno: ENOENT, "cannot enter /nonexistent: No such file or directory"))
  }

  @Test("the plain command line still runs a program")
  func plain() throws {
    let ran = try run(
      ExecVerb(program: "/bin/echo", arguments: ["$A", "b"], directory: "/usr"), environment: ["A=a c"])
    #expect(ran.status == .exited(0))
    #expect(ran.output == "a c b\n")
  }
}
