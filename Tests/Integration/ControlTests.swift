/// A running lifecycled that is asked and steered over its control socket, by its own commands and by strangers.
import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Control of lifecycled", .timeLimit(.minutes(5)))
struct ControlTests {
  @Test("status says where it stands, in words, in JSON and as exit status; without a daemon it is 69")
  func status() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "start stop")
    #expect(try await folder.control("status").status == 69)
    #expect(try await folder.control("status", "--ready", "--wait=50ms").status == 69)
    let daemon = try DaemonUnderTest(folder)
    #expect(try await folder.control("status", "--ready", "--wait=20s").status == 0)
    let table = try await folder.control("status")
    #expect(table.status == 0 && table.output.contains("10-a") && table.output.contains("foreground"), "\(table)")
    let json = try await folder.control("status", "--json")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(object["state"] as? String == "foreground")
    #expect(object["pid"] as? Int == Int(daemon.processID))
    #expect(object["logLevel"] as? String == "info")
    let listeners = try #require(object["listeners"] as? [[String: Any]])
    #expect(listeners.map { $0["name"] as? String } == ["configuration", "10-a"])
    #expect((listeners[1]["durations"] as? [Any])?.isEmpty == false)
    #expect(try await folder.control("background").status == 0)
    #expect(try await folder.control("status", "--ready").status == 1)
    #expect(try await folder.control("status", "--alive").status == 0)
    #expect(try await folder.control("foreground").status == 0)
    #expect(try await folder.control("log-level", "debug").status == 0)
    #expect(try await folder.control("log-level").output == "debug\n")
    #expect(try await folder.control("background").status == 0)
    await daemon.untilLogged("state: background")
    #expect(await daemon.stop() == .exited(0))
    #expect(access(folder.controlPath, F_OK) != 0)
  }

  @Test("reload waits, says what it has changed, and tells why it has failed; READY was told before it answers")
  func reload() async throws {
    let folder = try HookFolder()
    for name in ["10-stays", "20-goes", "30-changes"] { try folder.hook(name, on: "start") }
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.remove("20-goes.hook")
    try folder.hook("30-changes", on: "start stop")
    try folder.hook("40-comes", on: "start")
    try folder.write("lifecycled.conf", "[Lifecycle]\nSignal=USR1:stop\n")
    let good = try await folder.control("reload")
    #expect(daemon.messages.count { $0.contains("READY=1") } == 2)
    let lines = good.output.split(separator: "\n").map(String.init)
    #expect(good.status == 0 && lines.first?.hasSuffix(": generation 2") == true, "\(good)")
    #expect(
      Array(lines.dropFirst()) == [
        "added: 40-comes", "removed: 20-goes", "changed: 30-changes", "takes effect at the next start: Signal=",
      ])
    try folder.write("50-bad.hook", "[Hook]\nOn=start\nnonsense\n")
    let bad = try await folder.control("reload")
    #expect(bad.status == 1)
    #expect(bad.output.hasPrefix("lifecycled: the reload failed: configuration: \(folder.path)/50-bad.hook:3: "))
    #expect(daemon.messages.count { $0.contains("READY=1") } == 3)
    #expect(daemon.messages.count { $0.contains("RELOADING=1") } == 2)
  }

  @Test("F17: of two reloads at once the first is done, and the second fails with the reason")
  func overlappingReloads() async throws {
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    try folder.hook("10-a", on: "reload", HookFolder.wait(for: "go"))
    async let first = folder.control("reload")
    await daemon.untilRan("10-a reload reload")
    try folder.write("20-bad.hook", "nonsense\n")
    async let second = folder.control("reload")
    await daemon.untilLogged("a reload was asked for; it follows")
    folder.touch("go")
    let (done, failed) = try await (first, second)
    #expect(done.status == 0 && done.output.contains("generation 2"), "\(done)")
    #expect(failed.status == 1 && failed.output.contains("20-bad.hook:1"), "\(failed)")
  }

  @Test("B12: two stops at once are one, and both wait for it; what fails in it shows in the exit status")
  func twoStops() async throws {
    let folder = try HookFolder()
    try folder.hook("10-a", on: "stop", HookFolder.wait(for: "go") + "\nexit 3")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    async let first = folder.control("stop")
    await daemon.untilRan("10-a stop stop")
    async let second = folder.control("stop")
    #expect(try await folder.control("status", "--alive").status == 1)
    #expect(await eventually { folder.openControlSockets >= 3 })  // the listening one, and both callers
    folder.touch("go")
    for result in try await [first, second] {
      #expect(result.status == 1 && result.output.contains("exit status 70"), "\(result)")
    }
    #expect(await daemon.ended() == .exited(70))
    #expect(folder.ran.count { $0 == "10-a stop stop" } == 1)
  }

  @Test("watch tells what happens until the end; open and send say that nobody takes them")
  func watch() async throws {
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    async let watched = folder.control("watch", "--json")
    // Whoever follows is seen by what it holds open.
    let before = daemon.descriptorCount
    _ = await eventually { daemon.descriptorCount > before }
    #expect(try await folder.control("open", "app://x").output == "lifecycled: nobody there takes 'open'\n")
    #expect(try await folder.control("send", "dance", #"{"a":1}"#).status == 1)
    #expect(try await folder.control("send", "dance", "[1]").status == 64)
    #expect(try await folder.control("stop").status == 0)
    let result = try await watched
    #expect(result.status == 0)
    let happenings = try result.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
    #expect(happenings.first?["kind"] as? String == "state")
    #expect(happenings.last?["kind"] as? String == "finished")
    #expect(happenings.contains { $0["event"] as? String == "willTerminate" })
  }

  @Test("analyze lists what took its time, the longest first, and draws it")
  func analyze() async throws {
    let folder = try HookFolder()
    try folder.hook("10-quick", on: "start")
    try folder.hook("20-slow", on: "start", "sleep 0.2")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let blame = try await folder.control("analyze", "blame")
    #expect(blame.status == 0)
    #expect(blame.output.split(separator: "\n").first?.contains("20-slow") == true, "\(blame)")
    let plot = try await folder.control("analyze", "plot")
    #expect(plot.status == 0 && plot.output.hasPrefix("<") && plot.output.hasSuffix("</svg>\n"), "\(plot)")
    for name in ["10-quick", "20-slow", "READY"] { #expect(plot.output.contains(name)) }
  }

  @Test("F18: what a program says in its status shows in JSON that is valid, and no escape reaches a terminal")
  func hostileStatus() async throws {
    let folder = try HookFolder()
    try folder.program(
      "10-a", #"notify("READY=1\nSTATUS=<0>x\r\x1b[2J\x9b"); signal.pause()"#, keys: "Ready=notify")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    for arguments in [["status"], ["status", "--json"]] {
      let result = try await folder.control(arguments)
      #expect(result.status == 0)
      #expect(
        !result.output.unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || (0x7F..<0xA0).contains($0.value)) })
    }
    let json = try await folder.control("status", "--json").output
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect((object?["scenes"] as? [[String: Any]])?.first?["id"] as? String == "10-a")
  }

  @Test("A socket that another process serves is left alone, and the daemon goes on without one")
  func livingSocket() async throws {
    let folder = try HookFolder()
    let first = try DaemonUnderTest(folder)
    try await first.ready()
    let second = try DaemonUnderTest(folder)
    try await second.ready()
    #expect(second.logs("<4>there is no control socket \(folder.controlPath): another process serves it"))
    #expect(await second.stop() == .exited(0))
    #expect(try await folder.control("status", "--ready").status == 0)
    first.signal(SIGKILL)
    _ = await first.ended()
    #expect(try await folder.control("status").status == 69)
    let third = try DaemonUnderTest(folder)
    try await third.ready()
    #expect(!third.logs("<4>"))
    #expect(try await folder.control("status", "--ready").status == 0)
  }

  @Test("lifecycled run has a control socket where it is told to, and a stop tells the program's own exit status")
  func run() async throws {
    let folder = try HookFolder()
    let words = try folder.python("signal.signal(signal.SIGTERM, lambda *a: sys.exit(7)); trace('up'); signal.pause()")
    let daemon = try DaemonUnderTest.run(folder, ["--control", folder.controlPath], words)
    await daemon.untilRan("up")
    #expect(try await folder.control("status", "--ready", "--wait=20").status == 0)
    let stopped = try await folder.control("stop")
    #expect(stopped.status == 1 && stopped.output.contains("exit status 7"), "\(stopped)")
    #expect(await daemon.ended() == .exited(7))
  }

  @Test("Another user may read where that is configured, and steer nowhere", .enabled(if: geteuid() == 0))
  func otherUser() async throws {
    let folder = try HookFolder()
    try folder.write("lifecycled.conf", "[Lifecycle]\nControlReaders=everybody\n")
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let result = try await folder.script(
      """
      os.setgid(65534); os.setuid(65534)
      for method in ["GetState", "GetListeners", "Reload", "Background", "Foreground", "Stop", "Request", "SetLogLevel"]:
        print(method, call(connect(), method).get("error", "answered").split(".")[-1])
      print("watch", call(connect(), "Subscribe", more=True).get("error", "answered"))
      """)
    let steering = ["Reload", "Background", "Foreground", "Stop", "Request", "SetLogLevel"]
    #expect(
      result.output.split(separator: "\n").map(String.init)
        == ["GetState answered", "GetListeners answered"] + steering.map { "\($0) PermissionDenied" } + [
          "watch answered"
        ],
      "\(result)")
    #expect(try await folder.control("status", "--ready").status == 0)
    #expect(await daemon.stop() == .exited(0))

    try folder.write("lifecycled.conf", "[Lifecycle]\n")
    let other = try DaemonUnderTest(folder)
    try await other.ready()
    let refused = try await folder.script("os.setgid(65534); os.setuid(65534); connect()")
    #expect(refused.status != 0 && refused.output.contains("PermissionError"))
  }

  @Test("A thousand clients at once are answered, each of them")
  func thousandClients() async throws {
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let before = daemon.residentKiB
    let result = try await folder.script(
      """
      import threading
      threading.stack_size(262144)
      start, good = threading.Event(), []
      def one():
        start.wait()
        good.append(call(connect(), "GetState")["parameters"]["state"])
      threads = [threading.Thread(target=one) for _ in range(1000)]
      for thread in threads: thread.start()
      start.set()
      for thread in threads: thread.join()
      print(len(good), set(good))
      """)
    #expect(result.output == "1000 {'foreground'}\n", "\(result)")
    #expect(daemon.residentKiB < before + 16 * 1024, "\(before) KiB, then \(daemon.residentKiB)")
    #expect(await daemon.stop() == .exited(0))
  }

  @Test("Garbage, half messages, slow readers and idle connections cost little, and SIGTERM is answered at once")
  func hostileClients() async throws {
    let folder = try HookFolder()
    let daemon = try DaemonUnderTest(folder)
    try await daemon.ready()
    let before = daemon.residentKiB
    async let hostile = folder.script(
      """
      import threading
      held = []
      def attempt(work):
        try: work()
        except OSError: pass
      def garbage():
        s = connect()
        for _ in range(1024): s.sendall(os.urandom(65536).replace(bytes([0]), b"x"))
      def deep():
        s = connect(); held.append(s)
        s.sendall(b'{"method":' + b'[' * 60000 + bytes([0]))
      def half():
        s = connect(); held.append(s)
        s.sendall(b'{"method":"' + b'x' * 60000)
      def slow():
        s = connect(); held.append(s)
        for _ in range(20000): s.sendall(message("GetListeners"))
      def follow():
        s = connect(); held.append(s)
        s.sendall(message("Subscribe", more=True))
      for _ in range(16): attempt(garbage)
      for work in [deep, half, follow]:
        for _ in range(30): attempt(work)
      threads = [threading.Thread(target=lambda: attempt(slow), daemon=True) for _ in range(20)]
      for thread in threads: thread.start()
      for _ in range(300): attempt(lambda: held.append(connect()))
      trace("held")
      wait_for("over")
      os._exit(0)
      """)
    await daemon.untilRan("held")
    #expect(try await folder.control("status", "--ready").status == 0)
    for _ in 0..<100 { try await daemon.reload() }
    let after = daemon.residentKiB
    #expect(after < before + 48 * 1024, "\(before) KiB, then \(after)")
    let asked = ContinuousClock.now
    daemon.signal(SIGTERM)
    try await daemon.told("STOPPING=1")
    #expect(asked.duration(to: .now) < .seconds(2))
    #expect(await daemon.ended() == .exited(0))
    folder.touch("over")
    _ = try await hostile
  }
}
