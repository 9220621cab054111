/// Real programs: what they inherit, what they say, how they end.
import Glibc
import MediatorLinux
import Testing

@Suite("Child", .timeLimit(.minutes(5)))
struct ChildTests {
  /// What a child did, in the order in which the loop told it.
  enum Event: Equatable, Sendable {
    case output(String)
    case exited(ExitStatus)
  }

  /// A loop and the events of the children on it.
  final class Stage: Sendable {
    let loop: EventLoop
    let log = Log<Event>()

    init() throws { loop = try EventLoop(name: "children") }

    deinit { loop.shutdown() }

    func start(_ request: SpawnRequest) throws -> Child {
      try Child.start(
        request, on: loop, output: { [log] in log.add(.output(String(decoding: $0, as: UTF8.self))) },
        exited: { [log] in log.add(.exited($0)) })
    }

    func shell(_ script: String, output: SpawnRequest.Output = .pipe) throws -> Child {
      try start(
        SpawnRequest(
          executable: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"], output: output))
    }

    /// The status, once it is there, and all output before it.
    func end() -> (status: ExitStatus?, output: String) {
      _ = eventually { self.status != nil }
      return (status, output)
    }

    var status: ExitStatus? {
      for case .exited(let status) in log.all { return status }
      return nil
    }

    var output: String {
      log.all.compactMap { if case .output(let text) = $0 { text } else { nil } }.joined()
    }
  }

  private static let pipes: [SpawnRequest.Output] = [.pipe, .pipeHeldOpen]

  @Test("output of both kinds comes before the exit, and the exit once", arguments: pipes)
  func output(pipe: SpawnRequest.Output) throws {
    let stage = try Stage()
    _ = try stage.shell("echo out; echo err >&2; exit 3", output: pipe)
    let end = stage.end()
    #expect(end.output == "out\nerr\n")
    #expect(stage.log.all.last == .exited(.exited(3)))
    #expect(stage.log.all.filter { if case .exited = $0 { true } else { false } }.count == 1)
  }

  @Test("much output arrives whole", arguments: pipes)
  func muchOutput(pipe: SpawnRequest.Output) throws {
    let stage = try Stage()
    _ = try stage.shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789abcdef; i=$((i+1)); done", output: pipe)
    let end = stage.end()
    #expect(end.status == .exited(0))
    #expect(eventually { stage.output.utf8.count == 20000 * 17 })
    if case .output(let rest)? = stage.log.all.last { Issue.record("\(rest.utf8.count) bytes came after the exit") }
  }

  @Test("one that closes its own output, held open here, ends like any other; nothing of it stays open")
  func closesItsOutput() async {
    await #expect(processExitsWith: .success) {
      let stage = try Stage()
      // Others of the runtime come and go.
      let isOfChild: (String) -> Bool = { name in
        let link = Int32(name).map(linkOfDescriptor) ?? ""
        return link.hasPrefix("pipe:") || link.contains("pidfd")
      }
      let count = { entries(of: "/proc/self/fd").filter(isOfChild).count }
      let before = count()
      _ = try stage.shell("echo once; exec >&- 2>&-; sleep 0.1; exit 4", output: .pipeHeldOpen)
      #expect(count() > before)
      #expect(stage.end() == (.exited(4), "once\n"))
      #expect(eventually { count() == before })
    }
  }

  @Test("each run of fifty: what a program wrote right before it ended comes before its exit", arguments: pipes)
  func lastWords(pipe: SpawnRequest.Output) throws {
    let stage = try Stage()
    let pairs = Log<Bool>()
    for _ in 0..<50 {
      let said = Log<Int>()
      _ = try Child.start(
        SpawnRequest(executable: "/bin/echo", arguments: ["echo", "last words"], output: pipe), on: stage.loop,
        output: { said.add($0.count) }, exited: { _ in pairs.add(said.all == [11]) })
    }
    #expect(pairs.wait(for: 50).allSatisfy { $0 })
  }

  @Test(
    "a grandchild that holds the pipe open does not delay the exit; what it writes later still comes", arguments: pipes)
  func heldPipe(pipe: SpawnRequest.Output) throws {
    let (stage, started) = (try Stage(), ContinuousClock.now)
    let child = try stage.shell("(sleep 0.3; echo later; exec sleep 1000) & echo now", output: pipe)
    #expect(stage.end().status == .exited(0))
    #expect(stage.output == "now\n")
    #expect(ContinuousClock.now - started < .milliseconds(290))
    #expect(eventually { stage.output == "now\nlater\n" })
    try child.signalGroup(SIGKILL)  // the grandchild, whose leader is reaped
    #expect(eventually { (try? child.signalGroup(0)) == nil })
  }

  @Test("after closeOutput nothing more is read, and the writer is told", arguments: pipes)
  func closeOutput(pipe: SpawnRequest.Output) throws {
    let stage = try Stage()
    let child = try stage.shell(
      "trap '' PIPE; echo a; while echo b; do sleep 0.01; done 2>/dev/null; exit 9", output: pipe)
    _ = eventually { stage.output.hasPrefix("a\n") }
    child.closeOutput()
    #expect(stage.end().status == .exited(9))
    child.closeOutput()
  }

  @Test("C10: a child has no blocked signal, none ignored but glibc's own, whoever starts it")
  func signalState() throws {
    let stage = try Stage()
    onThreads(1) { _ in
      var mask = sigset_t()
      sigfillset(&mask)
      pthread_sigmask(SIG_SETMASK, &mask, nil)
      _ = try? stage.start(
        SpawnRequest(
          executable: "/bin/sed", arguments: ["sed", "-n", "/Sig[BIC][lg][kn]/p;/SigCgt/p", "/proc/self/status"]))
    }
    #expect(stage.end().status == .exited(0))
    let lines = stage.output.split(separator: "\n").map { $0.split(separator: "\t").last.map(String.init) ?? "" }
    try #require(lines.count == 3)
    #expect(UInt64(lines[0], radix: 16) == 0)
    #expect(UInt64(lines[1], radix: 16).map { $0 & ~0x1_8000_0000 } == 0)
    #expect(UInt64(lines[2], radix: 16) == 0)
  }

  @Test("C10: the same where the parent ignores and claims signals")
  func signalStateOfDaemon() async {
    await #expect(processExitsWith: .success) {
      signal(SIGINT, SIG_IGN)
      let source = try SignalSource(claiming: [SIGTERM, SIGHUP], ignoring: [SIGPIPE])
      let stage = try Stage()
      _ = try stage.start(
        SpawnRequest(
          executable: "/bin/sed", arguments: ["sed", "-n", "/Sig[BIC][lg][kn]/p;/SigCgt/p", "/proc/self/status"]))
      #expect(stage.end().status == .exited(0))
      for line in stage.output.split(separator: "\n") {
        let bits = line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
        #expect(bits.map { $0 & ~0x1_8000_0000 } == 0, "\(line)")
      }
      source.release()
    }
  }

  @Test("a child has descriptors 0 to 2 only, input from /dev/null, while other threads open more without O_CLOEXEC")
  func descriptors() throws {
    let stage = try Stage()
    let stop = Guarded(false)
    let opener = Log<Int>()
    onThreads(2) { thread in
      if thread == 0 {
        while !stop.withLock({ $0 }) {
          let descriptor = open("/dev/zero", O_RDONLY)
          opener.add(1)
          close(descriptor)
        }
        return
      }
      let kept = (0..<20).map { _ in open("/dev/zero", O_RDONLY) }
      for _ in 0..<50 {
        _ = try? stage.start(
          SpawnRequest(
            executable: "/bin/sh", arguments: ["sh", "-c", "echo $(echo /proc/self/fd/*); readlink /proc/self/fd/0"]))
      }
      _ = eventually { stage.log.all.filter { if case .exited = $0 { true } else { false } }.count == 50 }
      for descriptor in kept { close(descriptor) }
      stop.withLock { $0 = true }
    }
    let lines = stage.output.split(separator: "\n")
    #expect(lines.count == 100)
    // The shell's own glob opens the folder itself as 3.
    let allowed = Set(["0", "1", "2", "3"].map { "/proc/self/fd/\($0)" })
    for line in lines where line != "/dev/null" {
      #expect(Set(line.split(separator: " ").map(String.init)).isSubset(of: allowed))
    }
    #expect(lines.filter { $0 == "/dev/null" }.count == 50)
    #expect(opener.count > 0)
  }

  @Test("a child leads a process group of its own")
  func group() throws {
    let stage = try Stage()
    let child = try stage.start(
      SpawnRequest(executable: "/bin/sh", arguments: ["sh", "-c", "read _ _ _ _ group _ < /proc/$$/stat; echo $group"]))
    #expect(stage.end().output == "\(child.processID)\n")
  }

  @Test("environment, arguments and working directory are exactly those asked for")
  func context() throws {
    let stage = try Stage()
    _ = try stage.start(
      SpawnRequest(
        executable: "/usr/bin/python3",
        arguments: [
          "given name", "-c",
          "import os,sys; print(os.getcwd(), sys.argv[1:], sorted(k+'='+v for k,v in os.environ.items() if k!='LC_CTYPE'))",
          "a b", "", "ü",
        ], environment: ["A=1", "B= x=y"], workingDirectory: "/usr/bin"))
    #expect(stage.end().output == "/usr/bin ['a b', '', 'ü'] ['A=1', 'B= x=y']\n")
  }

  @Test("output to nowhere is read by nobody")
  func nullOutput() throws {
    let stage = try Stage()
    _ = try stage.shell(
      "echo out; echo err >&2; test \"$(readlink /proc/$$/fd/1)$(readlink /proc/$$/fd/2)\" = /dev/null/dev/null",
      output: .null)
    let end = stage.end()
    #expect(end.status == .exited(0))
    #expect(end.output == "")
  }

  @Test("inherited output goes where ours goes")
  func inheritedOutput() throws {
    let stage = try Stage()
    _ = try stage.shell("test \"$(readlink /proc/$$/fd/2)\" = \"$(readlink /proc/\(getpid())/fd/2)\"", output: .inherit)
    #expect(stage.end().status == .exited(0))
  }

  @Test(
    "what cannot be started is an error that says why and leaves nothing behind",
    arguments: [
      ("/nonexistent", [], nil, "posix_spawn", ENOENT), ("/etc/passwd", [], nil, "posix_spawn", EACCES),
      ("/bin/true", [], "/nonexistent", "chdir", ENOENT), ("/bin/true", ["a\0b"], nil, "posix_spawn", EINVAL),
      ("/bin/true\0x", [], nil, "posix_spawn", EINVAL),
    ] as [(String, [String], String?, String, Int32)])
  func cannotStart(executable: String, arguments: [String], directory: String?, call: String, code: Int32) throws {
    let stage = try Stage()
    #expect(throws: LinuxError(call, code)) {
      try stage.start(SpawnRequest(executable: executable, arguments: ["x"] + arguments, workingDirectory: directory))
    }
    #expect(stage.log.count == 0)
  }

  @Test("a program that a signal ended says which")
  func signalled() throws {
    let stage = try Stage()
    let child = try stage.shell("exec sleep 1000")
    try child.signal(SIGTERM)
    #expect(stage.end().status == .signalled(SIGTERM, coreDumped: false))
    #expect(eventually { (try? child.signal(0)) == nil })
    #expect(throws: LinuxError("pidfd_send_signal", ESRCH)) { try child.signal(SIGTERM) }
    #expect(throws: LinuxError("pidfd_send_signal", ESRCH)) { try child.signalGroup(SIGTERM) }
  }

  @Test("C12: a signal to the group reaches a tree of three levels, also inside `exited`")
  func tree() throws {
    let stage = try Stage()
    let (kept, ended) = (Guarded<Child?>(nil), Log<Bool>())
    let child = try Child.start(
      SpawnRequest(
        executable: "/bin/sh",
        arguments: ["sh", "-c", "sh -c 'sh -c \"echo up; exec sleep 1000\" & exec sleep 1000' & wait"],
        environment: ["PATH=/usr/bin:/bin"]), on: stage.loop,
      output: { [log = stage.log] in log.add(.output(String(decoding: $0, as: UTF8.self))) },
      exited: { _ in ended.add((try? kept.withLock { $0 }?.signalGroup(SIGKILL)) != nil) })
    kept.withLock { $0 = child }
    _ = eventually { stage.output == "up\n" }
    try child.signal(SIGKILL)
    #expect(ended.wait(for: 1) == [true])
    #expect(eventually { (try? child.signalGroup(0)) == nil })
  }

  @Test("one that has ended before it is watched is told of like any other")
  func watchedLate() throws {
    let stage = try Stage()
    let request = SpawnRequest(executable: "/bin/sh", arguments: ["sh", "-c", "echo soon; exit 5"])
    let child = try Child.startUnwatched(
      request, on: stage.loop, output: { [log = stage.log] in log.add(.output(String(decoding: $0, as: UTF8.self))) },
      exited: { [log = stage.log] in log.add(.exited($0)) })
    #expect(eventually { ProcessEntry(pid: child.processID)?.isAlive == false })
    #expect(stage.log.all.isEmpty)
    try child.watch()
    #expect(stage.end() == (.exited(5), "soon\n"))
  }

  @Test("its number is nobody's when it is told to be reaped, and its own until then")
  func reaped() throws {
    let (stage, told) = (try Stage(), Log<Bool>())
    let request = SpawnRequest(
      executable: "/bin/sh", arguments: ["sh", "-c", "echo $$"], environment: ["PATH=/usr/bin:/bin"])
    let number = Guarded<Int32>(0)
    let isThere: @Sendable () -> Void = { told.add(kill(number.withLock(\.self), 0) == 0) }
    let child = try Child.startUnwatched(request, on: stage.loop, exited: { _ in isThere() }, reaped: isThere)
    number.withLock { $0 = child.processID }
    try child.watch()
    #expect(told.wait(for: 2) == [true, false])
  }

  @Test("one that cannot be watched is killed, and nothing is told of its end")
  func unwatchable() throws {
    let (loop, log) = (try EventLoop(name: "over"), Log<ExitStatus>())
    loop.shutdown()
    let child = try Child.startUnwatched(
      SpawnRequest(executable: "/bin/sleep", arguments: ["sleep", "1000"]), on: loop, exited: { log.add($0) })
    #expect(throws: LinuxError("sd_event_add_io", ESHUTDOWN)) { try child.watch() }
    #expect(throws: LinuxError("pidfd_send_signal", ESRCH)) { try child.signal(0) }
    #expect(log.all.isEmpty)
  }

  @Test("who stole the status of a child by waitpid(-1) does not hide its end")
  func stolenStatus() async {
    await #expect(processExitsWith: .success) {
      let stage = try Stage()
      let blocked = Gate()
      stage.loop.submit { blocked.waitOpen() }
      let started = Log<Int>()
      onThreads(2) { thread in
        if thread == 0 {
          _ = try? stage.shell("sleep 0.2; exit 5")
        } else {
          var status: Int32 = 0
          _ = eventually { waitpid(-1, &status, WNOHANG) > 0 }
          started.add(1)
          blocked.stayOpen()
        }
      }
      #expect(stage.end().status == .unknown)
      _ = started
    }
  }

  @Test("two hundred children at once leave no zombie, no descriptor")
  func many() async {
    await #expect(processExitsWith: .success) {
      let stage = try Stage()
      _ = try stage.shell("true")
      _ = stage.end()
      let before = entries(of: "/proc/self/fd").count
      let ended = Log<ExitStatus>()
      for index in 0..<200 {
        _ = try Child.start(
          SpawnRequest(executable: "/bin/sh", arguments: ["sh", "-c", "echo x; exit \(index % 7)"]), on: stage.loop,
          exited: { ended.add($0) })
      }
      let expected = (0..<200).map { "\(ExitStatus.exited(Int32($0 % 7)))" }.sorted()
      #expect(ended.wait(for: 200).map { "\($0)" }.sorted() == expected)
      // Some, but not one a child: Dispatch may open its own at any time.
      #expect(eventually { entries(of: "/proc/self/fd").count < before + 10 })
      #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
    }
  }

  @Test("a loop that ended starts nobody")
  func endedLoop() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop(name: "ended")
      loop.shutdown()
      let before = entries(of: "/proc/self/fd").count
      for _ in 0..<20 {
        #expect(throws: LinuxError("sd_event_add_io", ESHUTDOWN)) {
          try Child.start(
            SpawnRequest(executable: "/bin/sleep", arguments: ["sleep", "1000"]), on: loop, exited: { _ in })
        }
      }
      #expect(entries(of: "/proc/self/fd").count < before + 10)
      #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
    }
  }
}
