/// What a program says that reaches the manager, and what the manager gives back to it.
import Foundation
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("From a program to the manager", .timeLimit(.minutes(5)))
struct UpwardTests {
  let folder: HookFolder
  init() throws { folder = try HookFolder() }

  private static let forEver = "while True: time.sleep(1000)"

  /// Python that sends a message with descriptors.
  private static let sending = """
    def send(text, *descriptors):
      with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.connect(chr(0) + os.environ["NOTIFY_SOCKET"][1:])
        socket.send_fds(s, [text.encode()], descriptors)
    def closed(read):
      return os.read(read, 1) == b""

    """

  @Test("C07: each key in turn, allowed and not: exactly the allow-list goes up")
  func keys() async throws {
    let code = """
      for line in ["EXTEND_TIMEOUT_USEC=99000000", "READY=1", "ERRNO=7", "BUSERROR=org.a.B", "WATCHDOG=1",
                   "RELOADING=1" + chr(10) + "MONOTONIC_USEC=1", "READY=1", "MAINPID=1", "MAINPIDFD=1",
                   "MAINPIDFDID=1", "WATCHDOG_USEC=1000000", "NOTIFYACCESS=all", "RESTART_RESET=1", "EXIT_STATUS=3",
                   "VARLINKERROR=org.a.B", "FDNAME=x", "FDPOLL=0", "FDSTORE=1", "X_MINE=1", "STATUS=last"]:
        notify(line)
        if line == "READY=1": wait_for("up")
      wait_for("go")
      notify("STOPPING=1")
      \(Self.forEver)
      """
    let run = try DaemonUnderTest.run(
      folder, ["--ready=notify"], try folder.python(code), environment: ["WATCHDOG_USEC": "40000000"])
    try await run.ready()
    folder.touch("up")
    #expect(await eventually { run.messages.contains { $0.contains("STATUS=last") } })
    folder.touch("go")
    try await run.told("STOPPING=1")
    #expect(await run.stop() == .exited(0))
    let lines = run.allMessages.flatMap { $0.split(separator: "\n").map(String.init) }
    let keys = Set(lines.compactMap { $0.split(separator: "=").first.map(String.init) })
    #expect(
      keys == [
        "READY", "RELOADING", "MONOTONIC_USEC", "STOPPING", "STATUS", "ERRNO", "BUSERROR", "WATCHDOG",
        "EXTEND_TIMEOUT_USEC",
      ])
    for line in ["ERRNO=7", "BUSERROR=org.a.B", "EXTEND_TIMEOUT_USEC=60000000"] { #expect(lines.contains(line)) }
    let states = lines.filter { ["READY=1", "RELOADING=1", "STOPPING=1"].contains($0) }
    #expect(states == ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"])
  }

  @Test("Descriptors go up when that was asked for, also after STOPPING, and are closed otherwise")
  func descriptors() async throws {
    let code = """
      \(Self.sending)
      def term(*_): send("FDSTORE=1", 0); sys.exit(0)
      signal.signal(signal.SIGTERM, term)
      notify("READY=1")
      for text in ["STATUS=x", "BARRIER=1", "FDNAME=conn"]:
        read, write = os.pipe(); send(text, write); os.close(write)
        if closed(read): trace("closed")
      read, write = os.pipe(); send("FDSTORE=1" + chr(10) + "FDNAME=conn" + chr(10) + "FDPOLL=0", write); os.close(write)
      wait_for("go")
      notify("FDSTOREREMOVE=1" + chr(10) + "FDNAME=conn")
      if closed(read): trace("removed")
      \(Self.forEver)
      """
    let run = try DaemonUnderTest.run(folder, ["--ready=notify"], try folder.python(code))
    let stored = try await run.told("FDSTORE=1")
    #expect(stored.text == "FDSTORE=1\nFDNAME=conn\nFDPOLL=0" && stored.descriptorCount == 1)
    #expect(folder.ran == ["closed", "closed", "closed"])
    folder.touch("go")
    #expect(try await run.told("FDSTOREREMOVE=1").text == "FDSTOREREMOVE=1\nFDNAME=conn")
    await run.untilRan("removed")
    #expect(await run.stop() == .exited(0))
    try await run.told("STOPPING=1")
    #expect(try await run.told("FDSTORE=1").lines == ["FDSTORE=1", "FDNAME=stored"])
  }

  @Test("Without a manager what is to be stored is closed")
  func noManager() async throws {
    let code = """
      \(Self.sending)
      read, write = os.pipe(); send("FDSTORE=1", write); os.close(write)
      if closed(read): trace("closed")
      \(Self.forEver)
      """
    let run = try DaemonUnderTest.run(folder, ["--notify-access=main"], try folder.python(code), manager: nil)
    await run.untilRan("closed")
    #expect(await run.stop() == .exited(0))
  }

  /// Runs what it is given with three descriptors, as the manager does.
  private func launcher(_ names: String) throws -> [String] {
    for number in 3...5 {
      try "file \(number)".write(toFile: folder.beside("file\(number)"), atomically: true, encoding: .utf8)
    }
    let files = (3...5).map { "exec \($0)<\(folder.beside("file\($0)"))" }.joined(separator: "; ")
    return ["/bin/sh", "-c", "\(files); export LISTEN_PID=$$ LISTEN_FDS=3 LISTEN_FDNAMES=\(names); exec \"$@\"", "sh"]
  }

  private static let listening = """
    def listened():
      if int(os.environ.get("LISTEN_PID", os.getpid())) != os.getpid(): return "not ours"
      names = os.environ.get("LISTEN_FDNAMES", "").split(":")
      return ", ".join("%s %s" % (names[i], os.read(3 + i, 99).decode()) for i in range(int(os.environ.get("LISTEN_FDS", 0))))

    """

  @Test("What the manager's store gives back reaches the program of run under its own names, in order")
  func givenBack() async throws {
    let run = try DaemonUnderTest.run(
      folder, [], try folder.python("\(Self.listening)\ntrace(listened())\n\(Self.forEver)"),
      launcher: try launcher("conn:stored:x-y"))
    await run.untilRan("conn file 3, stored file 4, x-y file 5")
    #expect(await run.stop() == .exited(0))
  }

  @Test("Of several programs each gets its own back, at its next start also what it has stored since")
  func ownBack() async throws {
    try folder.program(
      "10-a", "\(Self.listening)\nnotify('READY=1')\ntrace('a: ' + listened())\n\(Self.forEver)", keys: "Ready=notify")
    try folder.program(
      "20-b",
      """
      \(Self.sending)\(Self.listening)
      trace('b: ' + os.environ.get("LISTEN_FDNAMES", ""))
      if os.path.exists("\(folder.beside("again"))"):
        notify('READY=1')
        \(Self.forEver)
      open("\(folder.beside("again"))", "w")
      send("FDSTORE=1" + chr(10) + "FDNAME=new", 0)
      notify('READY=1')
      sys.exit(1)
      """, keys: "Ready=notify\nRestart=on-failure\nRestartSec=10ms")
    let daemon = try DaemonUnderTest(folder, launcher: try launcher("20-b-old:10-a:nobody"))
    #expect(try await daemon.told("FDSTORE=1").lines == ["FDSTORE=1", "FDNAME=20-b-new"])
    await daemon.untilRan("a: stored file 4")
    await daemon.untilRan("b: old")
    await daemon.untilRan("b: old:new")
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("Of several programs the errors of the required one that has failed go up, with its failure")
  func errors() async throws {
    try folder.program("10-a", "notify('ERRNO=99')\nnotify('READY=1')\n\(Self.forEver)", keys: "Ready=notify")
    try folder.program(
      "20-b", "notify('ERRNO=5' + chr(10) + 'BUSERROR=org.a.B')\nsys.exit(3)", keys: "Ready=notify")
    let daemon = try DaemonUnderTest(folder)
    #expect(await daemon.ended() == .exited(69))
    let stopping = try await daemon.told("STOPPING=1")
    #expect(stopping.value(of: "ERRNO") == "5")
    #expect(stopping.value(of: "STATUS") == "start failed: 20-b: ended before it was ready, exit 3")
    #expect(daemon.messages.filter { $0.contains("ERROR=") || $0.contains("ERRNO=") }.count == 2)
    #expect(daemon.messages.contains("BUSERROR=org.a.B"))
  }
}
