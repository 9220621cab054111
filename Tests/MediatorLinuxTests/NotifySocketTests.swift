/// Both sides of sd_notify(3), on real sockets.
import Glibc
import MediatorLinux
import Testing

@Suite("Notify socket", .timeLimit(.minutes(5)))
struct NotifySocketTests {
  /// A path, or an abstract name, that nobody else uses.
  private func freshAddress(_ kind: String) -> String {
    let name = "mediator-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    return kind == "path" ? "/tmp/\(name)" : "@\(name)"
  }

  @Test(
    "A10: a message arrives whole, with its sender, at a path and at an abstract name", arguments: ["path", "abstract"])
  func arrives(kind: String) throws {
    let receiver = try NotifyReceiver(address: freshAddress(kind))
    let sender = try #require(try NotifySender(socketPath: receiver.address))
    #expect(try receiver.receive() == [])
    try sender.send("READY=1\nSTATUS=ü")
    try sender.send([])
    let datagrams = try receiver.receive()
    #expect(datagrams.map(\.text) == ["READY=1\nSTATUS=ü", ""])
    for datagram in datagrams {
      #expect(datagram.pid == getpid() && datagram.uid == getuid() && datagram.gid == getgid())
      #expect(datagram.descriptors == [] && !datagram.isTruncated)
    }
  }

  @Test("A10: an abstract name has exactly its own length, the longest one too")
  func abstractLength() throws {
    let name = freshAddress("abstract")
    let short = try NotifyReceiver(address: name)
    let long = try NotifyReceiver(address: name + "x")
    try NotifySender(socketPath: name)?.send("short")
    try NotifySender(socketPath: name + "x")?.send("long")
    #expect(try short.receive().map(\.text) == ["short"])
    #expect(try long.receive().map(\.text) == ["long"])
    #expect(contents(of: "/proc/net/unix").contains(" \(name)\n"))
    let longest = name + String(repeating: "y", count: 108 - name.utf8.count)
    let receiver = try NotifyReceiver(address: longest)
    try NotifySender(socketPath: longest)?.send("longest")
    #expect(try receiver.receive().map(\.text) == ["longest"])
  }

  @Test("A11: without an address there is no sender")
  func noManager() throws {
    #expect(try NotifySender(socketPath: nil) == nil)
    #expect(try NotifySender(socketPath: "") == nil)
  }

  @Test(
    "an address that cannot be used is an error that says why",
    arguments: [
      ("vsock:2:1234", EAFNOSUPPORT), ("vsock-stream:2:1234", EAFNOSUPPORT), ("relative/path", EINVAL), ("@", EINVAL),
      ("/", EINVAL), ("/" + String(repeating: "x", count: 107), ENAMETOOLONG),
      ("@" + String(repeating: "x", count: 108), ENAMETOOLONG),
    ])
  func unusable(address: String, code: Int32) {
    #expect(throws: LinuxError("NOTIFY_SOCKET=\(address)", code)) { try NotifySender(socketPath: address) }
  }

  @Test("A16: a manager that is gone is an error of that message, and one that comes back gets the next")
  func vanished() throws {
    let address = freshAddress("path")
    let sender = try #require(try NotifySender(socketPath: address))
    #expect(throws: LinuxError("sendmsg", ENOENT)) { try sender.send("READY=1") }
    var receiver: NotifyReceiver? = try NotifyReceiver(address: address)
    try sender.send("READY=1")
    #expect(try receiver?.receive().count == 1)
    receiver = nil
    #expect(throws: LinuxError("sendmsg", ENOENT)) { try sender.send("STOPPING=1") }
    receiver = try NotifyReceiver(address: address)
    try sender.send("STOPPING=1")
    #expect(try receiver?.receive().map(\.text) == ["STOPPING=1"])
  }

  @Test("A19: a manager that does not read blocks nobody; once it reads, the next message arrives")
  func full() throws {
    let receiver = try NotifyReceiver(address: freshAddress("abstract"))
    let sender = try #require(try NotifySender(socketPath: receiver.address))
    var sent = 0
    #expect(throws: LinuxError("sendmsg", EAGAIN)) {
      while sent < 100_000 {
        try sender.send("WATCHDOG=1")
        sent += 1
      }
    }
    var received = 0
    while case let datagrams = try receiver.receive(), !datagrams.isEmpty {
      #expect(datagrams.count <= 16)
      received += datagrams.count
    }
    #expect(received == sent)
    try sender.send("STOPPING=1")
    #expect(try receiver.receive().map(\.text) == ["STOPPING=1"])
  }

  @Test("4096 bytes are accepted, 4097 are flagged, more than the socket takes is EMSGSIZE")
  func sizes() throws {
    let receiver = try NotifyReceiver(address: freshAddress("abstract"))
    let sender = try #require(try NotifySender(socketPath: receiver.address))
    for size in [4096, 4097] { try sender.send([UInt8](repeating: 65, count: size)) }
    let datagrams = try receiver.receive()
    #expect(datagrams.map(\.bytes.count) == [4096, 4096])
    #expect(datagrams.map(\.isTruncated) == [false, true])
    #expect(throws: LinuxError("sendmsg", EMSGSIZE)) { try sender.send([UInt8](repeating: 65, count: 10_000_000)) }
  }

  @Test("descriptors arrive closed on exec; a bad or one too many is an error")
  func descriptors() throws {
    let receiver = try NotifyReceiver(address: freshAddress("abstract"))
    let sender = try #require(try NotifySender(socketPath: receiver.address))
    let pipe = Pipe()
    try sender.send("FDSTORE=1", descriptors: [pipe.readEnd, pipe.readEnd])
    try sender.send("READY=1")
    try sender.send("BARRIER=1", descriptors: [pipe.writeEnd])
    let datagrams = try receiver.receive()
    #expect(datagrams.map(\.descriptors.count) == [2, 0, 1])
    #expect(datagrams.flatMap(\.descriptors).allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
    pipe.write("through")
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(read(datagrams[0].descriptors[1], &buffer, buffer.count) == 7)
    for datagram in datagrams { datagram.closeDescriptors() }
    #expect(throws: LinuxError("sendmsg", EBADF)) { try sender.send("x", descriptors: [1_000_000]) }
    let many = [Int32](repeating: pipe.readEnd, count: 254)
    #expect(throws: LinuxError("sendmsg", EINVAL)) { try sender.send("x", descriptors: many) }
    try sender.send("all", descriptors: Array(many.prefix(253)))
    let last = try receiver.receive()
    #expect(last.first?.descriptors.count == 253)
    last.first?.closeDescriptors()
  }

  @Test("C03: a sender that has ended before its message is read is still known")
  func deadSender() throws {
    let receiver = try NotifyReceiver(address: freshAddress("path"))
    let loop = try EventLoop(name: "dead")
    defer { loop.shutdown() }
    let ended = Log<ExitStatus>()
    let child = try Child.start(
      SpawnRequest(
        executable: "/usr/bin/python3",
        arguments: [
          "python3", "-c",
          "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'STATUS=gone', '\(receiver.address)')",
        ]), on: loop, exited: { ended.add($0) })
    #expect(ended.wait(for: 1) == [.exited(0)])
    #expect(try receiver.receive().map { [$0.text, "\($0.pid)"] } == [["STATUS=gone", "\(child.processID)"]])
  }

  @Test(
    "Of 200,000 messages that four processes send as fast as they can none is lost, and each sender's keep their order")
  func storm() throws {
    let receiver = try NotifyReceiver(address: freshAddress("path"))
    let loop = try EventLoop(name: "storm")
    defer { loop.shutdown() }
    let received = Guarded<[Int32: Int]>([:])
    let disorder = Log<String>()
    let source = try loop.watch(descriptor: receiver.descriptor) {
      for datagram in (try? receiver.receive()) ?? [] {
        received.withLock { counts in
          let next = counts[datagram.pid, default: 0]
          if datagram.text != "STATUS=\(next)" { disorder.add("\(datagram.text), not \(next)") }
          counts[datagram.pid] = next + 1
        }
      }
    }
    defer { source.cancel() }
    let code = """
      import socket
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      s.connect('\(receiver.address)')
      for number in range(50000): s.send(b'STATUS=%d' % number)
      """
    let ended = Log<ExitStatus>()
    let children = try (0..<4).map { _ in
      try Child.start(
        SpawnRequest(executable: "/usr/bin/python3", arguments: ["python3", "-c", code]), on: loop,
        exited: { ended.add($0) })
    }
    #expect(ended.wait(for: 4, within: .seconds(60)) == [ExitStatus](repeating: .exited(0), count: 4))
    _ = eventually { received.withLock { $0.values.reduce(0, +) } == 200_000 }
    #expect(received.withLock(\.self) == Dictionary(uniqueKeysWithValues: children.map { ($0.processID, 50_000) }))
    #expect(disorder.all.isEmpty)
  }

  @Test("a loop is told of a message")
  func watched() throws {
    let receiver = try NotifyReceiver(address: freshAddress("abstract"))
    let loop = try EventLoop(name: "watched")
    defer { loop.shutdown() }
    let log = Log<String>()
    _ = try loop.watch(descriptor: receiver.descriptor) {
      for datagram in (try? receiver.receive()) ?? [] { log.add(datagram.text) }
    }
    let sender = try #require(try NotifySender(socketPath: receiver.address))
    for count in 0..<40 {
      _ = eventually { (try? sender.send("STATUS=\(count)")) != nil }  // net.unix.max_dgram_qlen is 10
    }
    #expect(log.wait(for: 40) == (0..<40).map { "STATUS=\($0)" })
  }

  @Test("a stale path is replaced, a path that was taken over stays, no temporary name is left")
  func paths() throws {
    let folder = "/tmp/mediator-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    mkdir(folder, 0o700)
    defer { rmdir(folder) }
    let address = folder + "/notify"
    var first: NotifyReceiver? = try NotifyReceiver(address: address)
    var second: NotifyReceiver? = try NotifyReceiver(address: address)
    #expect(entries(of: folder) == ["notify"])
    first = nil
    #expect(entries(of: folder) == ["notify"])
    try NotifySender(socketPath: address)?.send("x")
    #expect(try second?.receive().count == 1)
    second = nil
    #expect(entries(of: folder) == [])
    _ = (first, second)
  }

  @Test(
    "an address that cannot be bound is an error that says why",
    arguments: [
      ("relative", EINVAL), ("", EINVAL), ("/nonexistent-folder/notify", ENOENT),
      ("/tmp/" + String(repeating: "x", count: 103), ENAMETOOLONG), ("/tmp/\0", EINVAL),
    ])
  func cannotBind(address: String, code: Int32) {
    #expect(throws: LinuxError("bind", code)) { try NotifyReceiver(address: address) }
  }
}
