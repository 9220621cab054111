import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@testable import MediatorBridge

@Suite("Sockets that the manager keeps", .timeLimit(.minutes(5)))
struct KeptSocketTests {
  /// On a port that the system chooses.
  static func listener() -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    must(listen(descriptor, 8) == 0)
    return descriptor
  }

  @Test("a name is printable, without a colon, not too long, and not one of the bridge's own")
  func names() throws {
    let context = LifecycleContext()
    let socket = Self.listener()
    defer { close(socket) }
    for name in ["", "lifecycle-state-0", "lifecycle-socket-x", "a:b", "a\nb", "ü", String(repeating: "a", count: 239)]
    {
      #expect(throws: LifecycleError.self, "\(name)") { try context.keepSocket(socket, as: name) }
    }
    // Without a manager there is nothing to be done, and nothing fails.
    #expect(try context.keepSocket(socket, as: String(repeating: "a", count: 238)) == false)
    #expect(throws: LifecycleError.self) { try context.keepSocket(0, as: "web") }
    #expect(throws: LifecycleError.self) { try context.keepSocket(-1, as: "web") }
  }

  @Test("no name of a program's is a name of state")
  func apart() {
    for name in ["state-0", "socket-a", "", "x"] {
      let text = StoreName.socket(name).text
      #expect(StoreName(text) == .socket(name))
    }
    #expect(StoreName("lifecycle-state-1") == .state(isOdd: true))
    for name in ["web", "lifecycle-", "lifecycle-state-2", "lifecycle-state-"] { #expect(StoreName(name) == nil) }
  }

  @Test("of two of a name, which a run that ended in the middle has left, the newest counts, which comes first")
  func twice() throws {
    let (new, old) = (Self.listener(), Self.listener())
    let environment = ManagerEnvironment([:], processID: 1, standardInputIsTerminal: false)
    let name = StoreName.socket("web").text
    let inheritance = Inheritance(environment, [(name, new), (name, old), ("stored", -1)], keeps: true)
    #expect(inheritance.start.keptSockets == ["web": new])
    #expect(inheritance.socketPlaces == ["web": 2] && inheritance.otherPlaces == 1)
    #expect(DescriptorKind.isSocket(new, type: 1, listens: true))
    close(new)
  }

  @Test("the manager passes the newest first")
  func order() async throws {
    let manager = try FakeServiceManager(storing: 2)
    let sender = try #require(try NotifySender(socketPath: manager.address))
    for name in ["old", "new"] {
      let socket = HeldDescriptors([Self.listener()])
      try sender.send("FDSTORE=1\nFDNAME=\(name)", descriptors: socket.numbers)
    }
    await eventually { manager.storedNames == ["old", "new"] }
    let copies = manager.copyStored()
    #expect(copies.map(\.name) == ["new", "old"])
    for copy in copies { close(copy.descriptor) }
  }

  @Test("a socket is kept only where the store has room")
  func room() {
    let sent = Shared<[String]>([])
    let limit: KeptSockets.Limit = { 3 }
    let kept = KeptSockets(found: [:], places: ["gone": 2], limit: limit) { lines, _ in
      sent.withLock { $0.append(lines.joined(separator: " ")) }
    }
    func keep(_ name: String) -> Bool { kept.keep(HeldDescriptors([Self.listener()]), as: name) }
    #expect(keep("a"))
    let (b, other) = (keep("b"), keep("a"))
    #expect(!b && other && kept.count == 3)
    kept.forget("gone")
    let again = keep("b")
    #expect(again && kept.count == 2)
    #expect(
      sent.withLock(\.self) == [
        "FDSTORE=1 FDNAME=lifecycle-socket-a", "FDSTOREREMOVE=1 FDNAME=lifecycle-socket-a",
        "FDSTORE=1 FDNAME=lifecycle-socket-a", "FDSTOREREMOVE=1 FDNAME=lifecycle-socket-gone",
        "FDSTORE=1 FDNAME=lifecycle-socket-b",
      ])
  }

  @Test("a second bridge of a process gets nothing of what the manager passed: the numbers may be anybody's by then")
  func secondBridge() async {
    await #expect(processExitsWith: .exitCode(0)) {
      // Whatever it is: only its number counts.
      let held = fcntl(3, F_GETFD) < 0 ? dup2(2, 3) : 3
      must(held == 3)
      setenv("LISTEN_PID", "\(getpid())", 1)
      setenv("LISTEN_FDS", "1", 1)
      setenv("LISTEN_FDNAMES", "web", 1)
      let first = BridgeClaim.takePassed()
      must(first.map(\.name) == ["web"] && first.map(\.descriptor) == [3], "\(first)")
      must(BridgeClaim.takePassed().isEmpty)
      exit(0)
    }
  }

  @Test("one is stored once, taken by the next run, replaced, forgotten, and let go of when nobody takes it")
  func lives() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let manager = try FakeServiceManager(storing: 8)
      setenv("STATE_DIRECTORY", "/nowhere", 1)
      let first = try await StateLife.begin(manager)
      let (web, mail) = (Self.listener(), Self.listener())
      for _ in 0..<2 { must(try first.lifecycle.context.keepSocket(web, as: "web")) }
      try first.lifecycle.context.keepSocket(mail, as: "mail")
      await eventually { manager.storedNames == ["lifecycle-socket-web", "lifecycle-socket-mail"] }
      must(manager.messages.count { $0.says("FDSTORE=1") } == 2, "\(manager.messages)")
      _ = await first.stop()
      close(web)
      close(mail)

      struct Takes: LifecycleListener {
        let socket = Shared<Int32>(-1)
        func didFinishLaunching(_ transition: LifecycleTransition) async throws {
          let context = transition.context
          must(context.start.keptSockets.keys.sorted() == ["mail", "web"])
          must((try? context.takeSocket("mail", as: .datagram)) == nil)
          let taken = try context.takeSocket("web", as: .streamListener)
          // It is kept already.
          try context.keepSocket(taken, as: "web")
          socket.withLock { $0 = taken }
        }
      }
      let takes = Takes()
      let second = try await StateLife.begin(manager, beside: [ListenerEntry(takes)])
      // Nobody took the other one.
      await eventually { manager.storedNames == ["lifecycle-socket-web"] }
      must(manager.storedNames == ["lifecycle-socket-web"], "\(manager.storedNames)")
      must(manager.messages.count { $0.says("FDSTORE=1") } == 2)
      let context = second.lifecycle.context
      do throws(LifecycleError) {
        _ = try context.takeSocket("mail", as: .streamListener)
        must(false, "it is closed")
      } catch {
        must(error.message.contains("mail was let go"), "\(error)")
      }
      must(DescriptorKind.isSocket(takes.socket.withLock(\.self), type: 1, listens: true))
      // Another socket of that name takes its place.
      try context.keepSocket(Self.listener(), as: "web")
      await eventually { manager.messages.count { $0.says("FDSTORE=1") } == 3 && manager.storedNames.count == 1 }
      must(manager.storedNames == ["lifecycle-socket-web"], "\(manager.storedNames)")
      context.forgetSocket("web")
      context.forgetSocket("never was")
      await eventually { manager.storedNames == [] }
      must(manager.storedNames == [], "\(manager.storedNames)")
      _ = await second.stop()
      exit(0)
    }
  }
}
