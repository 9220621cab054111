import Glibc
import MediatorLinux
import Testing

@Suite("UNIX socket probes", .timeLimit(.minutes(5)))
struct UnixProbeTests {
  @Test("A listening socket is met, at a path and at an abstract name", arguments: ["path", "abstract"])
  func met(kind: String) throws {
    let server = try #require(UnixListener(UnixListener.freshName(kind)))
    try UnixProbe.connect(to: server.name, within: .seconds(5))
  }

  @Test("The longest names are met, and one byte more is too long")
  func longest() throws {
    func padded(_ name: String, _ count: Int) -> String {
      name + String(repeating: "y", count: count - name.utf8.count)
    }
    let (path, abstract) = (UnixListener.freshName("path"), UnixListener.freshName())
    for name in [padded(path, 107), padded(abstract, 108)] {
      let server = try #require(UnixListener(name))
      try UnixProbe.connect(to: server.name, within: .seconds(5))
      #expect(throws: LinuxError("connect", ENAMETOOLONG)) {
        try UnixProbe.connect(to: name + "y", within: .seconds(5))
      }
    }
  }

  @Test("A name that cannot be one is an error", arguments: ["", "@", "/a\0b", "@a\0b"])
  func unusable(name: String) {
    #expect(throws: LinuxError("connect", EINVAL)) { try UnixProbe.connect(to: name, within: .seconds(5)) }
  }

  @Test("Where nothing lies, nobody listens, or a socket of another kind is, the error says so")
  func nobody() throws {
    let name = UnixListener.freshName("path")
    #expect(throws: LinuxError("connect", ENOENT)) { try UnixProbe.connect(to: name, within: .seconds(5)) }
    let datagrams = try #require(UnixListener(name, type: SOCK_DGRAM.rawValue))
    #expect(throws: LinuxError("connect", EPROTOTYPE)) {
      try UnixProbe.connect(to: datagrams.name, within: .seconds(5))
    }
    let free = UnixListener.freshName()
    #expect(throws: LinuxError("connect", ECONNREFUSED)) { try UnixProbe.connect(to: free, within: .seconds(5)) }
  }

  @Test("A server whose queue stays full takes its time and no more")
  func full() throws {
    let server = try #require(UnixListener(UnixListener.freshName(), backlog: 0))
    // A queue holds one connection more than its backlog, also one whose client has gone.
    try UnixProbe.connect(to: server.name, within: .seconds(5))
    let began = ContinuousClock.now
    #expect(throws: LinuxError("connect", ETIMEDOUT)) {
      try UnixProbe.connect(to: server.name, within: .milliseconds(50))
    }
    let took = began.duration(to: .now)
    #expect(took >= .milliseconds(50) && took < .seconds(5))
  }

  @Test("Whatever comes of it, no descriptor is left open")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      let server = UnixListener(UnixListener.freshName(), backlog: 0)!
      let before = entries(of: "/proc/self/fd").count
      for _ in 0..<100 {
        for name in [server.name, UnixListener.freshName(), "@"] {
          try? UnixProbe.connect(to: name, within: .milliseconds(1))
        }
      }
      // Some, but not one an attempt: Dispatch may open its own at any time.
      #expect(entries(of: "/proc/self/fd").count < before + 10)
    }
  }
}
