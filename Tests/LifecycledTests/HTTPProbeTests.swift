import Glibc
import MediatorLinux
import Testing

@testable import lifecycled

@Suite("HTTP probes", .timeLimit(.minutes(5)))
struct HTTPProbeTests {
  private func probe(_ port: UInt16, host: String = "127.0.0.1", limit: Duration = .seconds(10)) -> HTTPProbe {
    HTTPProbe(host: host, port: port, path: "/health", limit: limit)
  }

  private func reason(_ answer: String, limit: Duration = .seconds(10), staysOpen: Bool = false) throws -> String? {
    let server = try #require(AnsweringServer([answer], staysOpen: staysOpen))
    return probe(server.port, limit: limit).reasonAgainst()
  }

  @Test("F03: 200 alone holds, and a redirect is not followed")
  func codes() throws {
    #expect(try reason("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") == nil)
    #expect(try reason("HTTP/1.0 200\n") == nil)
    #expect(try reason("HTTP/1.1 503 Service Unavailable\r\n\r\n") == "answered 503")
    #expect(try reason("HTTP/1.1 401 Unauthorized\r\n\r\n") == "answered 401")
    #expect(try reason("HTTP/1.1 204 No Content\r\n\r\n") == "answered 204")
    let server = try #require(
      AnsweringServer(["HTTP/1.1 301 Moved\r\nLocation: /there\r\n\r\n", "HTTP/1.1 200 OK\r\n"]))
    #expect(probe(server.port).reasonAgainst() == "answered 301")
    #expect(server.requests.count == 1)
  }

  @Test("A server that keeps the connection open is not waited for")
  func open() throws {
    let began = ContinuousClock.now
    #expect(try reason("HTTP/1.1 200 OK\r\n", limit: .seconds(60), staysOpen: true) == nil)
    #expect(began.duration(to: .now) < .seconds(30))
  }

  @Test(
    "What is no answer of HTTP is a reason of its own",
    arguments: [
      ("SSH-2.0-OpenSSH_9.2\r\n", "the answer is not HTTP"), ("\r\n", "the answer is not HTTP"),
      ("HTTP/1.1 200", "the answer is not HTTP"), ("", "closed without an answer"),
      ("HTTP/1.1 " + String(repeating: "2", count: 1 << 20), "the answer is not HTTP"),
      ("HTTP/1.1 200 " + String(repeating: "x", count: 1 << 20) + "\r\n\r\n", "the answer is not HTTP"),
    ])
  func garbage(answer: String, expected: String) throws {
    #expect(try reason(answer) == expected)
  }

  @Test(
    "A status line is read strictly",
    arguments: [
      ("HTTP/1.1 200 OK\r\n", 200), ("HTTP/1.0 404\r\n", 404), ("HTTP/1.1 599\n", 599), ("HTTP/1.9 999 \n", 999),
      ("HTTP/1.1 099 x\r\n", nil), ("HTTP/2.0 200 OK\r\n", nil), ("http/1.1 200 OK\r\n", nil),
      ("HTTP/1.1  200 OK\r\n", nil), ("HTTP/1.1 2000 OK\r\n", nil), ("HTTP/1.1 20\r\n", nil),
      ("HTTP/1.1 20x OK\r\n", nil),
      ("HTTP/1.1 \n00 OK\r\n", nil), ("HTTP/1.1 200 OK", nil), ("\nHTTP/1.1 200 OK\r\n", nil), ("", nil),
    ] as [(String, Int?)])
  func statusLine(line: String, code: Int?) {
    #expect(HTTPProbe.code(of: Array(line.utf8)) == code)
  }

  @Test("A server that never answers, or stops within its answer, takes its time and no more")
  func silent() throws {
    let (descriptor, port) = try #require(listeningSocket())
    defer { close(descriptor) }
    let began = ContinuousClock.now
    #expect(probe(port, limit: .milliseconds(50)).reasonAgainst() == "Connection timed out")
    #expect(try reason("HTTP/1.1 20", limit: .milliseconds(50), staysOpen: true) == "Connection timed out")
    let took = began.duration(to: .now)
    #expect(took >= .milliseconds(100) && took < .seconds(10))
  }

  @Test("A server whose queue is full takes its time and no more")
  func full() throws {
    let (descriptor, port) = try #require(listeningSocket(backlog: 0))
    defer { close(descriptor) }
    let address = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
    // A queue holds one connection more than its backlog; then Linux drops what comes.
    let first = try StreamConnection(to: address, until: MonotonicClock.microseconds(after: .seconds(5)))
    #expect(probe(port, limit: .milliseconds(50)).reasonAgainst() == "Connection timed out")
    withExtendedLifetime(first) {}
  }

  @Test("Where nobody listens, and of a host that nobody knows, the reason says so")
  func nobody() throws {
    let (descriptor, port) = try #require(listeningSocket(backlog: nil))
    defer { close(descriptor) }
    #expect(probe(port).reasonAgainst() == "Connection refused")
    #expect(probe(80, host: "no such host").reasonAgainst()?.hasPrefix("cannot look up the host: ") == true)
  }

  @Test("The request is HTTP/1.1 with Host and Connection: close, also to an IPv6 address")
  func request() throws {
    let server = try #require(AnsweringServer(["HTTP/1.1 200 OK\r\n\r\n"]))
    #expect(probe(server.port).reasonAgainst() == nil)
    #expect(
      server.requests == [
        "GET /health HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nUser-Agent: lifecycled\r\nAccept: */*\r\n"
          + "Connection: close\r\n\r\n"
      ])
    guard let server = AnsweringServer(["HTTP/1.1 200 OK\r\n\r\n"], host: "::1") else { return }
    #expect(probe(server.port, host: "::1").reasonAgainst() == nil)
    #expect(server.requests.first?.contains("\r\nHost: [::1]:\(server.port)\r\n") == true)
  }

  @Test(
    "No path or host breaks out of its line",
    arguments: [
      ("a", "", "GET / HTTP/1.1\r\nHost: a\r\n"), ("a", "?x=1", "GET /?x=1 HTTP/1.1\r\nHost: a\r\n"),
      ("a", "/b c\r\nX: é", "GET /b%20c%0D%0AX:%20%C3%A9 HTTP/1.1\r\nHost: a\r\n"),
      ("a\r\nX: b", "/", "GET / HTTP/1.1\r\nHost: [aX:b]\r\n"),
      ("fe80::1%eth0", "/", "GET / HTTP/1.1\r\nHost: [fe80::1]\r\n"),
    ])
  func escaped(host: String, path: String, expected: String) {
    let request = String(decoding: HTTPProbe(host: host, port: 80, path: path).request, as: UTF8.self)
    #expect(request.hasPrefix(expected))
  }
}
