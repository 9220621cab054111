import Testing

@testable import lifecycled

@Suite("Commands to a running lifecycled", .timeLimit(.minutes(5)))
struct ControlRequestTests {
  @Test(
    "What can be understood",
    arguments: [
      (["status"], .status(.table)), (["status", "--json"], .status(.json)), (["--json", "status"], .status(.json)),
      (["--ready", "status"], .status(.ready(wait: nil))),
      (["status", "--ready"], .status(.ready(wait: nil))), (["status", "--alive"], .status(.alive)),
      (["status", "--ready", "--wait", "1min"], .status(.ready(wait: .seconds(60)))),
      (["reload"], .reload), (["background"], .background), (["foreground"], .foreground), (["stop"], .stop),
      (["open", "app://x"], .open(url: "app://x")), (["send", "dance"], .send(verb: "dance", payload: nil)),
      (["send", "dance", #"{"a":[1]}"#], .send(verb: "dance", payload: #"{"a":[1]}"#)),
      (["send", "--", "--json"], .send(verb: "--json", payload: nil)),
      (["watch"], .watch(json: false)), (["watch", "--json"], .watch(json: true)),
      (["log-level"], .logLevel(nil)), (["log-level", "WARN"], .logLevel(.warning)),
      (["analyze", "blame"], .analyze(.blame)), (["analyze", "plot"], .analyze(.plot)),
    ] as [([String], ControlRequest.Action)])
  func valid(arguments: [String], action: ControlRequest.Action) throws {
    #expect(try Invocation(parsing: arguments) == .control(ControlRequest(path: nil, action: action)))
    #expect(
      try Invocation(parsing: ["--control=/s"] + arguments) == .control(ControlRequest(path: "/s", action: action)))
  }

  @Test(
    "What cannot be understood is one line with a hint",
    arguments: [
      (["statsu"], "there is no command 'statsu' (did you mean status?)"),
      (["reload", "x"], "'x' is too much after reload (see lifecycled --help)"),
      (["open"], "open needs URL (write lifecycled open URL)"),
      (["send"], "send needs VERB (write lifecycled send VERB)"),
      (["send", "a", "[]"], "send: '[]' is not a JSON object (write one such as '{\"key\": \"value\"}')"),
      (["analyze"], "analyze needs blame|plot (write lifecycled analyze blame|plot)"),
      (["analyze", "x"], "analyze: there is no 'x' (write analyze blame or analyze plot)"),
      (["status", "--json", "--ready"], "--json does not go with --ready (choose one)"),
      (["status", "--wait=1"], "--wait means nothing without --ready (write --ready --wait=30)"),
      (
        ["status", "--ready", "--wait=x"],
        "--wait: 'x' is not a time (write a time such as 30s, 1min 30s or 500ms; see systemd.time(7))"
      ),
      (["reload", "--json"], "--json does not go with reload (leave it out)"),
      (["--json"], "--json goes with status and watch only (write lifecycled status --json)"),
      (["check", "--alive"], "--alive goes with status only (write lifecycled status --alive)"),
      (["status", "--json=1"], "--json takes no value (see lifecycled --help)"),
      (["stop", "--config", "d"], "--config does not go with stop (leave it out)"),
      (["stop", "--log-level", "info"], "--log-level does not go with stop (leave it out)"),
      (["check", "--control", "/s"], "--control does not go with check (leave it out)"),
      (["stop", "--ready=x"], "--ready takes no value (see lifecycled --help)"),
      (["--control"], "--control needs a path (see lifecycled --help)"),
    ])
  func invalid(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { _ = try Invocation(parsing: arguments) }
    #expect(error?.description == "lifecycled: \(message)")
  }

  @Test("The same rule says for the daemon and its clients where the socket is")
  func paths() {
    let all = ["LIFECYCLE_CONTROL": "/e", "RUNTIME_DIRECTORY": "/run/a:/run/b", "XDG_RUNTIME_DIR": "/run/user/7"]
    func path(_ option: String?, without names: [String], isRoot: Bool = false) -> String? {
      ControlPath.path(option: option, environment: all.filter { !names.contains($0.key) }, isRoot: isRoot)
    }
    #expect(path("/o", without: []) == "/o")
    #expect(path(nil, without: []) == "/e")
    #expect(path(nil, without: ["LIFECYCLE_CONTROL"]) == "/run/a/socket")
    let folders = ["LIFECYCLE_CONTROL", "RUNTIME_DIRECTORY"]
    #expect(path(nil, without: folders, isRoot: true) == "/run/lifecycled/control/socket")
    #expect(path(nil, without: folders) == "/run/user/7/lifecycled/control/socket")
    #expect(path(nil, without: Array(all.keys)) == nil)
    #expect(ControlPath.path(option: nil, environment: all.mapValues { _ in "" }, isRoot: false) == nil)
    #expect(ControlPath.named(option: nil, environment: ["RUNTIME_DIRECTORY": "/run/a"]) == nil)
  }

  @Test("What a reload has changed is said in as many lines as there is something to say")
  func reloadLines() {
    var reply = ControlReplies.Reload(generation: 4, durationUSec: 12_345)
    #expect(ControlCommand.lines(of: reply) == ["reloaded in 12ms: generation 4"])
    reply.changes = .init(
      added: ["a", "b\u{1B}"], removed: [], changed: [], restarted: ["c"], needRestart: ["Signal="])
    #expect(
      ControlCommand.lines(of: reply) == [
        "reloaded in 12ms: generation 4", #"added: a, b\x1b"#, "restarted: c",
        "takes effect at the next start: Signal=",
      ])
  }
}
