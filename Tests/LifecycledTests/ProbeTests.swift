import Glibc
import Mediator
import MediatorLinux
import Testing

@testable import lifecycled

@Suite("Probes", .timeLimit(.minutes(5)))
struct ProbeTests {
  /// What a loop said and how long it paused, with time that passes in its pauses alone.
  private final class Record: Sendable {
    struct State: Sendable {
      var reasons: [String] = []
      var pauses: [Duration] = []
      var looks = 0
    }
    private let state = Shared(State())
    var current: State { state.withLock(\.self) }
    func add(reason: String) { state.withLock { $0.reasons.append(reason) } }
    func add(pause: Duration) { state.withLock { $0.pauses.append(pause) } }
    func addLook() -> Int {
      state.withLock { state in
        state.looks += 1
        return state.looks
      }
    }
    /// How much time has passed.
    var now: Duration { current.pauses.reduce(.zero, +) }
  }

  private static let noRun: Probe.Run = { _ in "not run" }
  private static func command() throws -> HookCommand { try HookCommand(words: ["true"]) }

  /// Lets the loop look until it ends; `pausing` is called after each pause.
  private func holds(
    _ probe: Probe, _ record: Record, run: @escaping Probe.Run = noRun, pausing: @escaping @Sendable () -> Void = {}
  ) async -> Bool {
    let loop = ProbeLoop(probe: probe, limit: .seconds(10), run: run) { pause in
      record.add(pause: pause)
      pausing()
    }
    return await loop.untilItHolds { record.add(reason: $0) }
  }

  @Test("What is told by the program itself, or by the clock, cannot be looked at")
  func kinds() throws {
    let command = try Self.command()
    #expect(Probe(.exec(command)) == .exec(command))
    #expect(Probe(.tcp(host: "a", port: 1)) == .tcp(host: "a", port: 1))
    #expect(Probe(.unix(path: "@a")) == .unix(path: "@a"))
    #expect(Probe(.http(host: "a", port: 1, path: "/")) == .http(host: "a", port: 1, path: "/"))
    #expect(Probe(.file(path: "/a")) == .file(path: "/a"))
    for check in [ProgramCheck.notify, .log(pattern: "a"), .descriptor(3), .delay(.seconds(1))] {
      #expect(Probe(check) == nil)
    }
  }

  @Test("F01: looking begins at once, and a port that opens after 120 ms is met less than 100 ms later")
  func port() async throws {
    let (descriptor, port) = try #require(listeningSocket(backlog: nil))
    defer { close(descriptor) }
    let record = Record()
    let holds = await holds(
      .tcp(host: "127.0.0.1", port: port), record,
      pausing: {
        if record.now >= .milliseconds(120) { listen(descriptor, 64) }
      })
    #expect(holds)
    #expect(record.now >= .milliseconds(120) && record.now < .milliseconds(220))
    #expect(record.current.reasons == ["Connection refused"])
  }

  @Test("F03: 503, 301, 401 and then 200: each code is told, and only the last holds")
  func http() async throws {
    let answers = ["503 Unavailable", "503 Unavailable", "301 Moved", "401 Unauthorized", "200 OK"]
    let server = try #require(AnsweringServer(answers.map { "HTTP/1.1 \($0)\r\nLocation: /other\r\n\r\n" }))
    let record = Record()
    #expect(await holds(.http(host: "127.0.0.1", port: server.port, path: "/"), record))
    #expect(record.current.reasons == ["answered 503", "answered 301", "answered 401"])
    #expect(server.requests.count == 5)
    #expect(server.requests.allSatisfy { $0.hasPrefix("GET / ") })
  }

  @Test("A file and a UNIX socket that come later are met")
  func paths() async throws {
    let path = "/tmp/mediator-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    defer { unlink(path) }
    let (file, socket) = (Record(), Record())
    #expect(await holds(.file(path: path), file, pausing: { close(creat(path, 0o600)) }))
    #expect(file.current.reasons == ["No such file or directory"])
    #expect(await Probe.unix(path: path).reasonAgainst(run: Self.noRun) == "Connection refused")
    let held = Shared<Int32>(-1)
    #expect(
      await holds(
        .unix(path: path), socket,
        pausing: {
          unlink(path)
          let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
          guard let address = try? SocketAddress.unix(path) else { return }
          _ = address.bytes.withUnsafeBytes {
            bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
          }
          listen(descriptor, 1)
          held.withLock { $0 = descriptor }
        }))
    #expect(socket.current.reasons == ["Connection refused"])
    close(held.withLock(\.self))
  }

  @Test("A command is run again after pauses that grow from 20 to 500 ms, and each new reason is told once")
  func exec() async throws {
    let record = Record()
    let command = try Self.command()
    let words = ["exited 1", "exited 1", "exited 2", "exited 1", "exited 1", "exited 1", "exited 1"]
    let run: Probe.Run = { ran in
      let look = record.addLook()
      return ran == command && look <= words.count ? words[look - 1] : nil
    }
    let holds = await holds(.exec(command), record, run: run)
    #expect(holds)
    #expect(record.current.reasons == ["exited 1", "exited 2", "exited 1"])
    #expect(record.current.pauses == [20, 40, 80, 160, 320, 500, 500].map { .milliseconds($0) })
  }

  @Test("Cancellation ends the loop in a look, also in one that cannot be interrupted, and before the first")
  func cancelled() async throws {
    let (descriptor, port) = try #require(listeningSocket())
    defer { close(descriptor) }
    let began = ContinuousClock.now
    let (started, ended) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
    let run: Probe.Run = { _ in
      started.continuation.yield()
      try? await Task.sleep(for: .seconds(3600))
      ended.continuation.yield()
      return nil
    }
    let command = try Self.command()
    let exec = Task {
      await ProbeLoop(probe: .exec(command), run: run).untilItHolds { _ in }
    }
    for await _ in started.stream { break }
    exec.cancel()
    #expect(await exec.value == false)
    for await _ in ended.stream { break }

    let silent = Task {
      await ProbeLoop(probe: .http(host: "127.0.0.1", port: port, path: "/"), limit: .seconds(3), run: Self.noRun)
        .untilItHolds { _ in }
    }
    silent.cancel()
    #expect(await silent.value == false)
    #expect(began.duration(to: .now) < .seconds(60))
  }
}
