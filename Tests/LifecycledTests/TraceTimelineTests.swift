import Testing

@testable import lifecycled

@Suite("A trace in time", .timeLimit(.minutes(5)))
struct TraceTimelineTests {
  private static func timeline(_ entries: [ControlReplies.TraceEntry], now: UInt64 = 0) -> TraceTimeline {
    TraceTimeline(ControlReplies.Trace(entries, now: now))
  }

  /// "start 0-40", in µs since the start.
  private static func stretches(_ timeline: TraceTimeline) -> [String] {
    timeline.stretches.map { "\($0.title) \($0.began - 1_000_000)-\($0.ended - 1_000_000)" }
  }

  @Test(
    "A stretch ends after a quarter of a second of idleness, and where a start, reload or stop begins",
    arguments: [
      ([], []),
      ([.at(0, "state", "starting", took: 40), .call(0, "a", "didFinishLaunching", took: 40)], ["start 0-40"]),
      // Idle for long enough, and not.
      (
        [.at(0, "event", "didReceiveSignal", took: 10), .at(250_010, "event", "didReceiveSignal", took: 10)],
        ["didReceiveSignal 0-250020"]
      ),
      (
        [.at(0, "event", "didReceiveSignal", took: 10), .at(250_011, "event", "didReceiveSignal", took: 10)],
        ["didReceiveSignal 0-10", "didReceiveSignal 250011-250021"]
      ),
      // The signal that asked for the reload belongs to it.
      (
        [
          .at(0, "state", "starting", took: 100), .at(100, "state", "foreground", took: 50),
          .at(140, "signal", "SIGHUP"),
          .at(150, "state", "reloading", took: 30), .at(180, "state", "foreground", took: nil, result: "open"),
        ], ["start 0-100", "reload 140-180"]
      ),
      // A stop in mid-start: what goes on is on both sides.
      (
        [
          .at(0, "state", "starting", took: 100), .call(10, "a", "didFinishLaunching", took: 200, result: "cancelled"),
          .at(100, "state", "stopping", took: 150),
        ], ["start 0-100", "stop 100-250"]
      ),
      // Nothing but a ping, a text or a long state opens one.
      (
        [
          .at(0, "notify", "WATCHDOG=1", count: 900), .at(0, "notify", "STATUS=READY=1"),
          .at(0, "state", "foreground", took: 9), .at(9, "of-a-later-version", "x", took: 9),
        ], []
      ),
      ([.at(5, "notify", "STATUS=a\nREADY=1")], ["message 5-5"]), ([.at(5, "signal", "SIGUSR1")], ["SIGUSR1 5-5"]),
      (
        [
          .at(0, "event", "didEnterBackground", reason: "pause", took: 9),
          .at(9_000_000, "event", "didBecomeActive", reason: "pause", took: 9),
        ], ["pause 0-9", "resume 9000000-9000009"]
      ),
      // The beginning is lost, or the states are.
      (
        [.call(0, "a", "reload", "reload", took: 9), .at(0, "event", "reload", reason: "reload", took: 9)],
        ["reload 0-9"]
      ),
    ] as [([ControlReplies.TraceEntry], [String])])
  func ends(entries: [ControlReplies.TraceEntry], expected: [String]) {
    #expect(Self.stretches(Self.timeline(entries)) == expected)
  }

  @Test("A signal has its name, and a pause right after a reload is in the title")
  func names() {
    var signal = ControlReplies.TraceEntry.at(50, "signal", "10")
    signal.origin = ControlReplies.Origin(kind: "signal", signal: 10, pid: 7, uid: 0)
    let timeline = Self.timeline([
      .at(0, "state", "reloading", took: 40), signal, .at(51, "event", "didEnterBackground", reason: "pause", took: 9),
    ])
    #expect(Self.stretches(timeline) == ["reload, pause 0-60"])
    #expect(timeline.stretches.first?.signals.map(\.label) == ["SIGUSR1"])
  }

  @Test("Listeners have rows in the order in which they were told, and each call is in its row and colour")
  func rows() {
    let timeline = Self.timeline(
      [
        .call(0, "b", "didFinishLaunching", took: 10), .call(10, "a", "didFinishLaunching", took: nil, result: "open"),
        .call(20, "b", "didReceiveRequest", took: 5),
      ], now: 90)
    #expect(timeline.listeners == ["b", "a"])
    let calls = timeline.stretches.first?.calls ?? [:]
    #expect(calls[0]?.map(\.phase) == [.start, .other])
    #expect(calls[1]?.map(\.ended) == [1_000_090], "what is on its way goes on until now")
  }

  @Test("Of many stretches the first and the last are shown, and how many are not")
  func leftOut() {
    let timeline = TraceTimeline(.life(listeners: ["a"], reloads: 20))
    #expect(timeline.stretches.count == TraceTimeline.stretchLimit && timeline.leftOut == 14)
    #expect(timeline.stretches.map(\.title) == ["start"] + Array(repeating: "reload", count: 6) + ["stop"])
    #expect(TraceTimeline(.life(listeners: ["a"], reloads: 6)).leftOut == 0)
  }

  @Test(
    "Ticks are 1, 2 or 5 times a power of ten apart, with room for their labels",
    arguments: [
      (0, [0]), (1, [0, 1]), (9, [0, 2, 4, 6, 8]), (442_000, [0, 100_000, 200_000, 300_000, 400_000]),
      (1_000_000, [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]),
      (5_200_000, [0, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000]),
    ] as [(UInt64, [UInt64])])
  func ticks(length: UInt64, expected: [UInt64]) {
    #expect(PlotScale(began: 7, length: length, left: 100, width: 400).ticks == expected)
  }

  @Test("Any length has few ticks, all within it; any moment lies within the panel")
  func anyLength() {
    for exponent in 0..<64 {
      let scale = PlotScale(began: 3, length: UInt64.max >> UInt64(exponent), left: 10, width: 170)
      #expect((1...10).contains(scale.ticks.count) && scale.ticks.allSatisfy { $0 <= scale.length })
      for time in [0, 3, 4, scale.length / 2, .max] {
        #expect(scale.position(of: time) >= 10 && scale.position(of: time) <= 180)
      }
    }
  }
}
