import Foundation
import Glibc
import Mediator
import MediatorLinux
import Testing

@testable import MediatorBridge

@Suite("The control socket of an embedder", .serialized, .timeLimit(.minutes(5)))
struct ControlServerTests {
  /// Takes requests, reloads, and waits wherever a test wants it to.
  private final class Desk: ReloadListener, RequestListener {
    let name = "desk"
    let offered = Shared<[String]>([])
    let start = Gates()
    let reloading = Gates()
    let stop = Gates()
    let failure = Shared<String?>(nil)

    func didFinishLaunching(_ transition: LifecycleTransition) async throws { await start.pass() }
    func willTerminate(_ transition: LifecycleTransition) async throws { await stop.pass() }

    func prepareReload(_ transition: LifecycleTransition) async throws {
      await reloading.pass()
      if let failure = failure.withLock(\.self) { throw LifecycleError(.listenerFailed, message: failure, errno: 2) }
    }
    func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws {}
    func revertReload(_ transition: LifecycleTransition) async throws {}

    func answer(_ request: LifecycleRequest) async throws -> RequestAnswer {
      offered.withLock { $0.append("\(request.verb) \(request.url?.absoluteString ?? "-")") }
      switch request.verb {
      case "echo": return .taken(request.payload)
      case "text": return .taken(Data("two\nlines".utf8))
      case "quiet": return .taken(Data())
      case "no": return .refused("not today")
      default: return .declined
      }
    }
  }

  /// Open until it is shut.
  private final class Gates: Sendable {
    private struct State: Sendable {
      var isShut = false
      var arrived = 0
    }
    private let state = Shared(State())
    var arrived: Int { state.withLock(\.arrived) }
    func shut() { state.withLock { $0.isShut = true } }
    func open() { state.withLock { $0.isShut = false } }
    func pass() async {
      state.withLock { $0.arrived += 1 }
      await eventually { state.withLock { !$0.isShut } }
    }
  }

  private struct Life {
    var bridge: LifecycleBridge
    var desk: Desk
    var path: String
    var run: Task<Int32, Never>

    func peer() throws -> VarlinkPeer { try VarlinkPeer(path) }

    func end() async {
      for gate in [desk.start, desk.reloading, desk.stop] { gate.open() }
      _ = await bridge.lifecycle.stop()
      _ = await run.value
    }
  }

  private static func folder() -> String { "\(NSTemporaryDirectory())/control-\(UInt64.random(in: 0 ... .max))" }

  private func live(
    holdingStart: Bool = false, _ body: (Life) async throws -> Void
  ) async throws {
    let desk = Desk()
    if holdingStart { desk.start.shut() }
    var bridge: LifecycleBridge?
    // The one before this may not have gone yet.
    await eventually {
      bridge = try? LifecycleBridge(signals: .host, center: NotificationCenter()) { desk }
      return bridge != nil
    }
    let made = try #require(bridge)
    let path = Self.folder() + "/a/socket"
    _ = try ControlServer(for: made, at: path, version: "1.2")
    let life = Life(bridge: made, desk: desk, path: path, run: Task { await made.run() })
    if !holdingStart { try await made.lifecycle.state(.foreground) }
    do {
      try await body(life)
    } catch {
      await life.end()
      throw error
    }
    await life.end()
  }

  @Test("It tells what it is, and describes exactly the methods that it has")
  func introspection() async throws {
    try await live { life in
      let peer = try life.peer()
      let info = try await peer.call("org.varlink.service.GetInfo")
      #expect(info.value("version") as? String == "1.2")
      #expect(info.value("interfaces") as? [String] == ["io.lifecycled.Control", "org.varlink.service"])
      var described: [String: [String]] = [:]
      for name in ["io.lifecycled.Control", "org.varlink.service"] {
        let reply = try await peer.call(
          "org.varlink.service.GetInterfaceDescription", #"{"interface":"\#(name)"}"#)
        let text = try #require(reply.value("description") as? String)
        #expect(text.contains("\ninterface \(name)\n"))
        for line in text.split(separator: "\n") where line.hasPrefix("method ") {
          let call = line.dropFirst("method ".count).prefix { $0 != ")" }.split(separator: "(")
          let parameters = call.count > 1 ? call[1].split(separator: ",") : []
          described[String(call[0])] = parameters.map { parameter in
            String(parameter.prefix { $0 != ":" }).trimmingCharacters(in: .whitespaces)
          }
        }
      }
      let methods = Dictionary(uniqueKeysWithValues: ControlMethod.allCases.map { ($0.rawValue, $0.parameters) })
      #expect(described == methods)
    }
  }

  @Test("What cannot be done has the error that Varlink has for it")
  func errors() async throws {
    try await live { life in
      let peer = try life.peer()
      for (method, parameters, error, key, value) in [
        ("a.B", "{}", "InterfaceNotFound", "interface", "a"),
        ("org.varlink.service.Nothing", "{}", "MethodNotFound", "method", "org.varlink.service.Nothing"),
        ("GetInfo", "{}", "MethodNotFound", "method", "io.lifecycled.Control.GetInfo"),
        ("GetState", #"{"x":1}"#, "InvalidParameter", "parameter", "x"),
        ("Request", "{}", "InvalidParameter", "parameter", "verb"),
        ("Request", #"{"verb":5}"#, "InvalidParameter", "parameter", "verb"),
        ("Request", #"{"verb":"a","verb":"b"}"#, "InvalidParameter", "parameter", "verb"),
        ("Request", #"{"url":"no scheme"}"#, "InvalidParameter", "parameter", "url"),
        ("Request", #"{"verb":"a","payload":[]}"#, "InvalidParameter", "parameter", "payload"),
        ("SetLogLevel", #"{"level":"debug"}"#, "MethodNotImplemented", "method", "io.lifecycled.Control.SetLogLevel"),
        (
          "org.varlink.service.GetInterfaceDescription", #"{"interface":"x"}"#, "InterfaceNotFound", "interface", "x"
        ),
      ] {
        let reply = try await peer.call(method, parameters)
        #expect(reply.error == "org.varlink.service.\(error)", "\(method)")
        #expect(reply.value(key) as? String == value, "\(method)")
      }
      for method in ["Subscribe", "GetTrace"] {
        #expect(try await peer.call(method).error == "org.varlink.service.ExpectedMore")
      }
      try peer.send(raw: [0x7B, 0])
      #expect(await peer.isEnded())
    }
  }

  @Test("Requests: what comes of each, and their payload as it was written")
  func requests() async throws {
    try await live { life in
      let peer = try life.peer()
      let payload = #"{"n":1.50e0,"list":[null,{"deep":"\u00e9"}]}"#
      try peer.send("Request", #"{"verb":"echo","payload":\#(payload)}"#)
      let echoed = try await peer.answer()
      #expect(echoed.value("listener") as? String == "desk")
      #expect((echoed.value("result") as? [String: Any])?["n"] as? Double == 1.5)
      #expect(try await peer.call("Request", #"{"verb":"text"}"#).value("text") as? String == "two\nlines")
      #expect(try await peer.call("Request", #"{"verb":"quiet"}"#).parameters == #"{"listener":"desk"}"#)
      let refused = try await peer.call("Request", #"{"verb":"no"}"#)
      #expect(refused.error == "io.lifecycled.Control.RequestRefused")
      #expect(refused.value("reason") as? String == "not today")
      let unclaimed = try await peer.call("Request", #"{"url":"app://x"}"#)
      #expect(unclaimed.error == "io.lifecycled.Control.RequestUnclaimed")
      #expect(life.desk.offered.withLock(\.last) == "open app://x")
    }
  }

  @Test("F16: a request that comes during the start is kept, offered once after it, and its caller waits")
  func requestDuringStart() async throws {
    try await live(holdingStart: true) { life in
      #expect(await eventually { life.bridge.lifecycle.state == .starting })
      let peer = try life.peer()
      try peer.send("Request", #"{"verb":"quiet"}"#)
      #expect(try await life.peer().call("GetState").value("state") as? String == "starting")
      #expect(life.desk.offered.withLock(\.isEmpty))
      life.desk.start.open()
      #expect(try await peer.answer().error == nil)
      #expect(life.desk.offered.withLock(\.self) == ["quiet -"])
      #expect(life.bridge.lifecycle.state == .foreground)
    }
  }

  @Test("B12: two stop requests are one stop, and both get its result; the socket is gone then")
  func twoStops() async throws {
    try await live { life in
      life.desk.stop.shut()
      let (first, second) = (try life.peer(), try life.peer())
      try first.send("Stop")
      #expect(await eventually { life.desk.stop.arrived == 1 })
      try second.send("Stop")
      let state = try await life.peer().call("GetState")
      #expect(state.value("state") as? String == "stopping")
      #expect(state.value("alive") as? Bool == false)
      life.desk.stop.open()
      #expect(try await first.answer().parameters == #"{"exitStatus":0}"#)
      #expect(try await second.answer().parameters == #"{"exitStatus":0}"#)
      #expect(life.desk.stop.arrived == 1)
      #expect(await life.run.value == 0)
      #expect(access(life.path, F_OK) != 0)
    }
  }

  @Test("Answers come in the order of the calls; one that nobody waits for has none")
  func order() async throws {
    try await live { life in
      life.desk.reloading.shut()
      let peer = try life.peer()
      try peer.send("Reload")
      try peer.send("Request", #"{"verb":"quiet"}"#, oneway: true)
      try peer.send("GetState")
      #expect(await eventually { life.desk.reloading.arrived == 1 })
      life.desk.reloading.open()
      #expect(try await peer.answer().value("generation") as? Int == 2)
      #expect(try await peer.answer().value("state") as? String == "foreground")
      #expect(life.desk.offered.withLock(\.self) == ["quiet -"])
    }
  }

  @Test("A reload goes on when its caller leaves, and a failed one says why")
  func leavingPeer() async throws {
    try await live { life in
      life.desk.reloading.shut()
      do { try life.peer().send("Reload") }
      #expect(await eventually { life.desk.reloading.arrived == 1 })
      life.desk.reloading.open()
      #expect(await eventually { life.bridge.lifecycle.generation == 2 })
      life.desk.failure.withLock { $0 = "out of paper" }
      let reply = try await life.peer().call("Reload")
      #expect(reply.error == "io.lifecycled.Control.ReloadFailed")
      #expect(reply.parameters == #"{"errno":2,"listener":"desk","message":"out of paper"}"#)
      let status = try await life.peer().call("GetState").value("status") as? String
      #expect(status == "reload failed: desk: out of paper")
    }
  }

  @Test("A follower is told where the daemon stands, then what happens, then that it has finished")
  func following() async throws {
    try await live { life in
      let peer = try life.peer()
      try peer.send("Subscribe", more: true)
      var kinds: [String] = []
      func next() async throws -> [String: Any] {
        let reply = try await peer.answer()
        let happening = try #require(reply.value("happening") as? [String: Any])
        #expect(reply.continues == (happening["kind"] as? String != "finished"))
        kinds.append(happening["kind"] as? String ?? "")
        return happening
      }
      #expect(try await next()["state"] as? String == "foreground")
      let other = try life.peer()
      #expect(try await other.call("Background").parameters == #"{"state":"background"}"#)
      #expect(try await next()["event"] as? String == "willResignActive")
      #expect(try await other.call("GetState").value("pauses") as? [String] == ["operator"])
      #expect(try await other.call("Foreground").parameters == #"{"state":"foreground"}"#)
      try other.send("Stop", oneway: true)
      while kinds.last != "finished" { _ = try await next() }
      #expect(kinds.contains("began") && kinds.contains("ended") && kinds.count { $0 == "state" } >= 4)
      #expect(await peer.isEnded())
    }
  }

  @Test("The trace comes in parts and whole; where there is none, that is said")
  func trace() async throws {
    try await live { life in
      let peer = try life.peer()
      try peer.send("GetTrace", more: true)
      #expect(try await peer.answer().error == "io.lifecycled.Control.TraceOff")
      life.bridge.lifecycle.trace = LifecycleTrace()
      for _ in 0..<12 { _ = await life.bridge.lifecycle.reload() }
      try peer.send("GetTrace", more: true)
      var entries: [[String: Any]] = []
      var parts = 0
      var continues = true
      while continues {
        let reply = try await peer.answer()
        entries += try #require(reply.value("entries") as? [[String: Any]])
        #expect(reply.value("lost") as? Int == 0)
        (continues, parts) = (reply.continues, parts + 1)
      }
      #expect(parts > 1)
      #expect(entries.map { $0["number"] as? Int } == Array(1...entries.count))
      #expect(Set(entries.compactMap { $0["kind"] as? String }).isSuperset(of: ["event", "call"]))
      #expect(entries.contains { $0["name"] as? String == "desk" && $0["event"] as? String == "prepareReload" })
      let unfinished = entries.filter { $0["result"] as? String != "ok" }
      #expect(unfinished.map { $0["kind"] as? String } == ["state"], "\(unfinished)")
      #expect(try await peer.call("GetState").error == nil)
    }
  }

  @Test("A socket that somebody serves is not taken; one that is left over is; what is no socket is left alone")
  func paths() async throws {
    try await live { life in
      var status = stat()
      #expect(stat(life.path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
      let folder = life.path.dropLast("/socket".count)
      #expect(stat(String(folder), &status) == 0 && status.st_mode & 0o7777 == 0o700)
      #expect(throws: LinuxError("bind", EADDRINUSE)) { _ = try StreamListener(path: life.path, mode: 0o600) }
      let file = "\(folder)/file"
      try "kept".write(toFile: file, atomically: false, encoding: .utf8)
      #expect(throws: LinuxError("bind", EEXIST)) { _ = try StreamListener(path: file, mode: 0o600) }
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
      let error = #expect(throws: LifecycleError.self) { _ = try ControlServer(for: life.bridge, at: "relative") }
      #expect(error?.message.contains("not absolute") == true)
      let again = #expect(throws: LifecycleError.self) { _ = try ControlServer(for: life.bridge, at: file + "-2") }
      #expect(again?.errno == EBUSY)

      let left = "\(folder)/left"
      #expect(symlink("/nonexistent", left) == 0)
      #expect(throws: LinuxError("bind", EEXIST)) { _ = try StreamListener(path: left, mode: 0o600) }
      _ = unlink(left)
      do { _ = try #require(UnixSocketFile(left)) }
      let taken = try StreamListener(path: left, mode: 0o666)
      #expect(stat(left, &status) == 0 && status.st_mode & 0o7777 == 0o666)
      taken.removePath()
      #expect(access(left, F_OK) != 0)
    }
  }

  /// What a process leaves behind that was killed.
  private struct UnixSocketFile {
    init?(_ path: String) {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      guard descriptor >= 0, let address = try? SocketAddress.unix(path) else { return nil }
      let isBound = address.bytes.withUnsafeBytes {
        bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count)) == 0
      }
      guard isBound else { return nil }
    }
  }
}
