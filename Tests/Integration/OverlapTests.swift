/// A program that is replaced while its socket stays.
import Foundation
import Glibc
import Mediator
import MediatorLinux
import MediatorTestKit
import Testing

@Suite("Overlapped restart", .timeLimit(.minutes(5)))
struct OverlapTests {
  let folder: HookFolder
  init() throws { folder = try HookFolder() }

  /// Opens a socket, hands it over as the manager does, and becomes what follows.
  private func launcher(_ port: String) throws -> [String] {
    try folder.python(
      """
      s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(128)
      open("\(port)", "w").write(str(s.getsockname()[1]))
      os.dup2(s.fileno(), 3); os.set_inheritable(3, True)
      os.environ.update(LISTEN_FDS="1", LISTEN_FDNAMES="web", LISTEN_PID=str(os.getpid()))
      os.execv(sys.argv[1], sys.argv[1:])
      """)
  }

  /// Answers each connection with its own number; ends after the one that it has.
  private static let server = """
    if os.path.exists(sys.argv[1]): sys.exit(9)
    listener = socket.socket(fileno=3)
    assert os.environ["LISTEN_PID"] == str(os.getpid()) and os.environ["LISTEN_FDNAMES"] == "web"
    stopping = False
    def term(*_):
      global stopping
      stopping = True
    signal.signal(signal.SIGTERM, term)
    listener.settimeout(0.05)
    notify("READY=1")
    while not stopping:
      try: connection, _ = listener.accept()
      except TimeoutError: continue
      connection.sendall(b"%d" % os.getpid()); connection.close()
    trace("left")
    """

  @Test("Of connections made one after the other through five reloads, one of them refused, none is lost")
  func overlap() async throws {
    let (port, broken) = (folder.beside("port"), folder.beside("broken"))
    let words = try folder.python(Self.server).joined(separator: " ")
    try folder.write(
      "10-web.process",
      "[Process]\nExec=\(words) \(broken)\nReady=notify\nSockets=web\nReload=overlap\n")
    let daemon = try DaemonUnderTest(folder, launcher: try launcher(port))
    try await daemon.ready()
    let number = try #require(UInt16(try String(contentsOfFile: port, encoding: .utf8)))
    let isOver = Shared(false)
    let load = Task.detached {
      var answers: [String?] = []
      while !isOver.withLock(\.self) { answers.append(Self.answer(of: number)) }
      return answers
    }
    for round in 0..<5 {
      if round == 2 { folder.touch("broken") }
      let end = try await daemon.reload()
      let refusal = "reload failed: 10-web: the new copy: ended before it was ready, exit 9"
      #expect(end.text.contains(refusal) == (round == 2), "\(end.text)")
      if round == 2 { try FileManager.default.removeItem(atPath: broken) }
    }
    #expect(await eventually { folder.ran.filter { $0 == "left" }.count == 4 })
    #expect(await eventually { daemon.messages.last?.contains("STATUS=10-web ready") == true })
    isOver.withLock { $0 = true }
    let answers = await load.value
    #expect(answers.count > 20)
    #expect(!answers.contains(nil))
    #expect(Set(answers.compactMap(\.self)).count == 5, "the first copy and four new ones")
    #expect(await daemon.stop() == .exited(0))
  }

  /// What the server says; nil when it refuses, or says nothing.
  private static func answer(of port: UInt16) -> String? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        connect(descriptor, raw, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard connected else { return nil }
    var buffer = [UInt8](repeating: 0, count: 32)
    let count = read(descriptor, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }
}
