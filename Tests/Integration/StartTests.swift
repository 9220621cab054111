/// How lifecycled starts: what runs, what the manager is told, and with which status it ends if it does not.
import Glibc
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Start of lifecycled", .timeLimit(.minutes(5)))
struct StartTests {
  @Test("hooks start and enter the foreground in the order of their names, and leave in reverse")
  func order() async throws {
    let folder = try HookFolder()
    for name in ["20-b", "10-a", "30-c"] { try folder.hook(name, on: "start foreground background stop") }
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let up = ["10-a", "20-b", "30-c"]
    #expect(folder.ran == up.map { "\($0) start start" } + up.map { "\($0) foreground start" })
    folder.forget()
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == up.reversed().map { "\($0) background stop" } + up.reversed().map { "\($0) stop stop" })
  }

  @Test("A02: a bad configuration gives no READY, exit status 78, and every fault by file and line")
  func badConfiguration() async throws {
    let folder = try HookFolder()
    try folder.write("10-a.hook", "[Hook]\nOn=start\nthis is no key\n")
    try folder.write("20-b.hook", "[Hook]\nOn=sunrise\nExec=/bin/true\n")
    let daemon = try DaemonUnderTest(folder)
    #expect(await daemon.ended() == .exited(78))
    #expect(daemon.logs("\(folder.path)/10-a.hook:3: "))
    #expect(daemon.logs("\(folder.path)/20-b.hook:2: "))
    #expect(daemon.messages == [])
  }

  @Test(
    "the command line has exit statuses of its own",
    arguments: [["--frobnicate"], ["--config", "/nonexistent"], ["check", "--log-level", "info"]])
  func usage(arguments: [String]) async throws {
    let daemon = try DaemonUnderTest(try HookFolder(), arguments: arguments)
    #expect(await daemon.ended() == .exited(64))
    #expect(daemon.messages == [])
  }

  @Test("a missing folder of --config gives exit status 66 and no READY")
  func missingFolder() async throws {
    let folder = try HookFolder()
    rmdir(folder.path)
    let daemon = try DaemonUnderTest(folder)
    #expect(await daemon.ended() == .exited(66))
    #expect(daemon.logs("\(folder.path): this folder does not exist"))
    #expect(daemon.messages == [])
  }

  @Test("A05: a hook whose port is taken fails the start: no READY, exit status 69, undone in reverse")
  func takenPort() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start stop")
    let bind = "s=socket.socket(); s.bind(('127.0.0.1', p))"
    try folder.hook(
      "20-bind", on: "start stop",
      "exec /usr/bin/python3 -c \"import socket; t=socket.socket(); t.bind(('127.0.0.1',0)); p=t.getsockname()[1]; \(bind)\""
    )
    try folder.hook("30-c", on: "start stop")
    let daemon = try DaemonUnderTest(folder)
    let message = try await daemon.told("STOPPING=1")
    #expect(message.value(of: "STATUS") == "start failed: 20-bind: exited 1")
    #expect(await daemon.ended() == .exited(69))
    #expect(folder.ran == ["10-a start start", "20-bind start start", "20-bind stop stop", "10-a stop stop"])
    #expect(daemon.logs("20-bind: OSError: [Errno 98] Address already in use"))
    #expect(!daemon.messages.contains { $0.contains("READY") })
  }

  @Test("A06: READY comes after the start hook has ended, not before")
  func slowStart() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start", HookFolder.wait(for: "go"))
    let daemon = try DaemonUnderTest(folder)
    await daemon.untilRan("10-a start start")
    #expect(daemon.messages.first == "STATUS=starting")
    #expect(!daemon.messages.contains { $0.contains("READY=1") })
    folder.touch("go")
    #expect(try await daemon.ready().value(of: "STATUS") == "running")
  }

  @Test(
    "A07: of two required start hooks one does not end: no READY, and STATUS names the open one", arguments: [0, 1])
  func openCondition(open: Int) async throws {
    let names = ["10-a", "20-b"]
    let folder = try HookFolder()
    for (index, name) in names.enumerated() {
      try folder.hook(name, on: "start", index == open ? HookFolder.wait(for: "go") : "")
    }
    let daemon = try DaemonUnderTest(folder)
    try await daemon.told("STATUS=starting \(open + 2)/3: \(names[open])")
    #expect(!daemon.messages.contains { $0.contains("READY=1") })
    folder.touch("go")
    #expect(try await daemon.ready().value(of: "STATUS") == "running")
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("A10: a manager on an abstract socket is told")
  func abstractSocket() async throws {
    let daemon = try DaemonUnderTest(try HookFolder(), manager: .abstract)
    #expect(try await daemon.ready().senderPID == daemon.processID)
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("B02: SIGTERM in the middle of a start hook ends it, undoes what began, and exits 0 without READY")
  func stopDuringStart() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start stop")
    try folder.hook("20-slow", on: "start stop", "[ $LIFECYCLE_EVENT = stop ] || exec sleep 300")
    try folder.hook("30-c", on: "start stop")
    let daemon = try DaemonUnderTest(folder)
    await daemon.untilRan("20-slow start start")
    #expect(await daemon.stop() == .exited(0))
    #expect(folder.ran == ["10-a start start", "20-slow start start", "20-slow stop stop", "10-a stop stop"])
    #expect(!daemon.messages.contains { $0.contains("READY") })
    #expect(!daemon.logs("failed"))
  }

  @Test("an optional hook that fails leaves a service that runs and says so")
  func optionalFails() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start", "exit 3", keys: "Required=no")
    let daemon = try DaemonUnderTest(folder)
    #expect(try await daemon.ready().value(of: "STATUS") == "degraded: 10-a: exited 3")
    #expect(await daemon.stop() == .exited(0))
    #expect(daemon.log.filter { $0.contains("exited 3") } == ["<4>10-a failed in didFinishLaunching: exited 3"])
  }

  @Test("a required hook that fails in the stop lets it go on, and exits 70")
  func stopFails() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "stop")
    try folder.hook("20-b", on: "stop", "exit 4")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    #expect(await daemon.stop() == .exited(70))
    #expect(folder.ran == ["20-b stop stop", "10-a stop stop"])
    #expect(daemon.log.contains("<3>20-b failed in willTerminate: exited 4"))
  }
}
