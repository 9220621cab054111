import Testing

@testable import lifecycled

@Suite("The table of status", .timeLimit(.minutes(5)))
struct StatusTableTests {
  private static let well = ControlReplies.State(
    state: "foreground", ready: true, alive: true, generation: 3, status: "12 sessions", pauses: [], failures: [],
    unwell: [], product: "lifecycled", version: "0.1.0", pid: 4711, startUSec: 0, nowUSec: 93_784_000_000,
    sinceUSec: 93_600_000_000, reason: "reload", logLevel: "notice")

  private static func but(_ change: (inout ControlReplies.State) -> Void) -> ControlReplies.State {
    var state = well
    change(&state)
    return state
  }

  private static func failure(_ listener: String, _ message: String, required: Bool = true) -> ControlReplies.Failure {
    ControlReplies.Failure(
      listener: listener, event: "prepareReload", required: required, timeout: false, message: message)
  }

  private static func listener(
    _ name: String, _ state: String, required: Bool = true, groups: [String] = [], _ durations: [(String, UInt64)] = []
  ) -> ControlReplies.Listener {
    ControlReplies.Listener(
      name: name, state: state, required: required, groups: groups, capabilities: [],
      durations: durations.map { ControlReplies.CallDuration(event: $0.0, durationUSec: $0.1) })
  }

  private static let listeners = ControlReplies.Listeners(
    listeners: [
      listener("configuration", "foreground", [("prepareReload", 3_400), ("reload", 12)]),
      listener("10-db.process", "foreground", [("didBecomeActive", 900), ("didFinishLaunching", 1_204_123)]),
      listener("20-cache.hook", "failed", required: false, [("didFinishLaunching", 30_000_000)]),
      listener("90-with-a-name-that-somebody-chose-in-anger.hook", "background"),
      listener("名前", "waiting", groups: ["pool"]),
    ], scenes: [ControlReplies.Scene(id: "10-db.process", kind: "process", state: "foreground")])

  @Test("At 80 columns: where it stands, since when and why, what failed, and a line for each listener and scene")
  func table() {
    var state = Self.well
    state.status = "degraded"
    state.pauses = ["operator", "sleep"]
    let trouble = Self.failure(
      "configuration", "/etc/lifecycled/10-a.hook:3: the key On is not known (and 2 more; see lifecycled check)")
    state.reloadFailure = trouble
    state.failures = [trouble, Self.failure("20-cache.hook", "exited with 1", required: false)]
    state.unwell = [Self.failure("10-db.process", "no answer")]
    let lines = StatusTable.lines(state, Self.listeners, style: .init(width: 80))
    #expect(
      lines.joined(separator: "\n") == """
        ● foreground (reload) for 3min 4s, generation 3
          ready      yes
          paused by  operator, sleep
          status     degraded
          reload     failed: configuration in prepareReload: /etc/lifecycled/10-a.hook:3:
                     the key On is not known (and 2 more; see lifecycled check)
          failed     20-cache.hook in prepareReload: exited with 1
          unwell     10-db.process: no answer
          process    lifecycled 0.1.0, pid 4711, up 1d 2h 3min, log level notice

        LISTENER                          STATE       FAILURE   LAST TOOK
        configuration                     foreground  required  prepare 3.4ms
        10-db.process                     foreground  required  start 1.204s
        20-cache.hook                     failed      optional  start 30s
        90-with-a-name-that-somebody-ch…  background  required
        pool/名前                         waiting     required

        SCENE          STATE         KIND
        10-db.process  foreground    process
        """)
  }

  @Test("In a pipe nothing is cut or broken, and nothing is coloured")
  func pipe() {
    let lines = StatusTable.lines(Self.well, Self.listeners, style: .init())
    #expect(lines.contains("  status     12 sessions"))
    #expect(lines.contains { $0.hasPrefix("90-with-a-name-that-somebody-chose-in-anger.hook  background  required") })
    #expect(lines.contains { $0.hasSuffix("start 1.204s, foreground 900us") })
    #expect(lines.allSatisfy { HostileText.isSafe($0) })
  }

  @Test(
    "The first dot says how it is: green, yellow while it is not as it should be, red when somebody must do something",
    arguments: [
      ("32", well), ("33", but { $0.ready = false }), ("33", but { $0.failures = [failure("a", "why")] }),
      ("33", but { $0.reloadFailure = failure("a", "why") }),
      ("33", but { $0.unwell = [failure("a", "why", required: false)] }),
      ("31", but { $0.unwell = [failure("a", "why")] }), ("31", but { $0.alive = false }),
    ])
  func dot(colour: String, state: ControlReplies.State) {
    let lines = StatusTable.lines(state, Self.listeners, style: .init(hasColour: true, width: 80))
    #expect(lines.first?.hasPrefix("\u{1B}[\(colour)m●\u{1B}[0m ") == true)
  }

  @Test(
    "Of the durations the longest are shown, in the order of a life, as many as there is room for",
    arguments: [
      ([], nil, ""), ([("didFinishLaunching", 5)], nil, "start 5us"),
      ([("willTerminate", 5_000), ("didFinishLaunching", 2_000), ("reload", 12)], nil, "start 2ms, stop 5ms"),
      ([("willTerminate", 5_000), ("didFinishLaunching", 2_000)], 12, "stop 5ms"),
      ([("willTerminate", 5_000), ("didFinishLaunching", 2_000)], 3, ""),
      ([("later\u{1B}", 5_000)], nil, "later\\x1b 5ms"),
      (
        [("reload", 400), ("prepareReload", 300), ("didBecomeActive", 200), ("willTerminate", 100)], nil,
        "foreground 200us, prepare 300us, reload 400us"
      ),
    ] as [([(String, UInt64)], Int?, String)])
  func durations(durations: [(String, UInt64)], room: Int?, expected: String) {
    let durations = durations.map { ControlReplies.CallDuration(event: $0.0, durationUSec: $0.1) }
    #expect(StatusTable.durations(durations, within: room) == expected)
  }

  @Test("F18: hostile text in any place: no line is wider than the terminal, and no control character gets through")
  func hostile() {
    for text in HostileText.all {
      var state = Self.well
      (state.state, state.status, state.reason, state.product, state.version) = (text, text, text, text, text)
      (state.logLevel, state.pauses) = (text, [text, text])
      (state.failures, state.unwell) = ([Self.failure(text, text)], [Self.failure(text, text)])
      state.reloadFailure = Self.failure(text, text, required: false)
      (state.startUSec, state.sinceUSec, state.nowUSec) = (.max, .max, 0)
      let listeners = ControlReplies.Listeners(
        listeners: [Self.listener(text, "failed", groups: [text], [(text, .max)])],
        scenes: [ControlReplies.Scene(id: text, kind: text, state: text)])
      for width in [40, 80, 200] {
        let lines = StatusTable.lines(state, listeners, style: .init(width: width))
        let isNarrow = lines.allSatisfy { TerminalText($0).width <= width && HostileText.isSafe($0) }
        #expect(isNarrow, "\(width): \(lines)")
        let coloured = StatusTable.lines(state, listeners, style: .init(hasColour: true, width: width))
        #expect(coloured.allSatisfy { HostileText.isSafe($0, hasColour: true) })
      }
    }
  }
}
