import Testing

@testable import lifecycled

@Suite("Checks of a program", .timeLimit(.minutes(5)))
struct ProgramCheckTests {
  @Test(
    "Each kind of check is read, and its description is read as the same again",
    arguments: [
      ("notify", .notify, true), ("tcp:127.0.0.1:80", .tcp(host: "127.0.0.1", port: 80), true),
      ("tcp:db_1.example-x.org:65535", .tcp(host: "db_1.example-x.org", port: 65535), true),
      ("tcp:[::1]:443", .tcp(host: "::1", port: 443), true),
      ("tcp:[fe80::1%eth0]:443", .tcp(host: "fe80::1%eth0", port: 443), true),
      ("unix:/run/a.sock", .unix(path: "/run/a.sock"), true), ("unix:@a/b", .unix(path: "@a/b"), true),
      ("http://localhost", .http(host: "localhost", port: 80, path: "/"), true),
      ("http://localhost:8080/a?b=c:d", .http(host: "localhost", port: 8080, path: "/a?b=c:d"), true),
      ("http://[::1]/a", .http(host: "::1", port: 80, path: "/a"), true),
      ("http://a?b", .http(host: "a", port: 80, path: "/?b"), true),
      ("file:/run/a b", .file(path: "/run/a b"), true),
      (#"log:^ready: \d+ [a-z]$"#, .log(pattern: #"^ready: \d+ [a-z]$"#), false),
      ("fd:3", .descriptor(3), false), ("fd:255", .descriptor(255), false),
      ("delay:1min 5s", .delay(.seconds(65)), false), ("delay:0", .delay(.seconds(0)), false),
    ] as [(String, ProgramCheck, Bool)])
  func valid(text: String, check: ProgramCheck, isHealth: Bool) throws {
    #expect(try ProgramCheck(parsing: text, for: .readiness) == check)
    #expect(try ProgramCheck(parsing: check.description, for: .readiness) == check)
    #expect((try? ProgramCheck(parsing: text, for: .health)) == (isHealth ? check : nil))
  }

  @Test(
    "A check that cannot be is named with what is wrong in it",
    arguments: [
      ("", "'' is not a check"), ("ntify", "'ntify' is not a check (did you mean notify?)"),
      ("TCP:a:1", "'TCP:a:1' is not a check (did you mean tcp?)"),
      ("notify:main", "'notify:main' is not how this check is written (write notify)"),
      ("tcp", "'tcp' is not how this check is written (write tcp:HOST:PORT)"),
      ("exec:/bin/a", "'exec:/bin/a' is not how this check is written (write exec COMMAND)"),
      ("tcp:80", "there is no port in '80' (write tcp:HOST:PORT, such as tcp:127.0.0.1:80)"),
      ("tcp::80", "there is no host in ':80'"), ("tcp:a b:80", "there is no host in 'a b:80'"),
      ("tcp:a:0", "'0' is not a port (ports go from 1 to 65535)"), ("tcp:a:65536", "'65536' is not a port"),
      ("tcp:a:+1", "'+1' is not a port"), ("tcp:a:", "'' is not a port"),
      ("tcp:::1:80", "the IPv6 address '::1:80' needs brackets (write [::1]:PORT)"),
      ("tcp:fe80::1", "the IPv6 address 'fe80::1' needs brackets"),
      ("tcp:[::1:80", "the bracket in '[::1:80' is not closed"),
      ("tcp:[a.b]:80", "'[a.b]:80' has no IPv6 address in its brackets"),
      ("tcp:[::1]80", "'[::1]80' has no IPv6 address in its brackets"),
      ("unix:run/x", "'run/x' is no socket (write unix:/PATH, or unix:@NAME for an abstract one)"),
      ("unix:@", "there is no name after the @"),
      ("unix:/" + String(repeating: "x", count: 107), "is too long for a socket (at most 107 bytes, see unix(7))"),
      ("http:8080", "'http:8080' is not how this check is written (write http://HOST:PORT/PATH)"),
      ("http://", "there is no host in ''"), ("http://:80/", "there is no host in ':80'"),
      ("http://u:p@h/", "a user in 'u:p@h' is not supported (write exec curl with --user)"),
      ("http://h/a b", "the path '/a b' has a character that stands in no request"),
      ("http://h/a#b", "the path '/a#b' has a character that stands in no request"),
      ("http://h/\r\nX: y", "has a character that stands in no request"),
      (
        "https://h/x",
        "TLS is not offered: 'https://h/x' (write exec curl --fail --silent --output /dev/null https://h/x)"
      ),
      ("file:x", "'x' is not an absolute path (begin it with /)"),
      ("log:", "there is no expression after log: (write log:REGEX)"),
      ("log:a(b", "'a(b' is not a regular expression: expected ')'"),
      ("log:*", "'*' is not a regular expression: quantifier '*' must appear after expression"),
      ("log:" + String(repeating: "(", count: 2_000), "is too long an expression (at most 1000 bytes are read)"),
      ("fd:0", "0 is the program's standard input (write fd:N with a number from 3 to 255)"),
      ("fd:1", "1 is the program's standard output"), ("fd:2", "2 is the program's standard error"),
      ("fd:256", "'256' is not a descriptor for this"), ("fd:x", "'x' is not a descriptor for this"),
      ("delay:-1", "'-1' is negative"), ("delay:infinity", "'infinity' would never end"),
    ])
  func invalid(text: String, what: String) {
    let problem = #expect(throws: ValueParser.Problem.self) { try ProgramCheck(parsing: text, for: .readiness) }
    let line = problem.map { $0.what + ($0.advice.map { " (\($0))" } ?? "") } ?? ""
    #expect(line.contains(what), "\(line)")
  }

  @Test("What once tells of readiness is no health", arguments: ["log:x", "fd:3", "delay:5"])
  func health(text: String) {
    let problem = #expect(throws: ValueParser.Problem.self) { try ProgramCheck(parsing: text, for: .health) }
    #expect(problem?.what.contains("tells once that a program is ready") == true)
  }

  @Test(
    "The command of exec is what stands after a blank",
    arguments: [
      ("exec /bin/a b", " /bin/a b"), ("exec\t'x'", "\t'x'"), ("exec", ""), ("exec:/bin/a", nil), ("execute x", nil),
      ("notify", nil),
    ] as [(String, String?)])
  func command(text: String, command: String?) {
    #expect(ProgramCheck.commandText(in: text) == command)
  }

  @Test("The description of a command is quoted so that it is read as the same words again")
  func quoted() throws {
    let words = ["-/bin/a", "", "a b", #"a"b\c"#, "\n\u{1}", ";", "é", "%n", "$x"]
    let check = ProgramCheck.exec(try HookCommand(words: words))
    #expect(check.description == #"exec -/bin/a "" "a b" "a\"b\\c" "\n\x01" ";" é %n $x"#)
    let text = try #require(ProgramCheck.commandText(in: check.description))
    #expect(CommandSplitter.split(text).commands == [words])
  }
}
