import Testing

@testable import lifecycled

@Suite("What blame says", .timeLimit(.minutes(5)))
struct TraceBlameTests {
  @Test("The longest call of each listener and event, the longest first; what went wrong, and what has not ended")
  func lines() {
    let trace = ControlReplies.Trace(
      [
        .at(0, "event", "didFinishLaunching", reason: "start", took: 9_000_000),
        .call(0, "db", "didFinishLaunching", took: 1_204_000),
        .call(0, "cache", "didFinishLaunching", took: 30_000_000, result: "timedOut"),
        .call(0, "web", "didFinishLaunching", took: 204, result: "failed", text: "refused"),
        .call(0, "db", "reload", "reload", took: 12_300), .call(50, "db", "reload", "reload", took: 45_600),
        .call(60, "db", "reload", "reload", took: 3), .call(100, "hung", "reload", "reload", took: nil, result: "open"),
        .call(0, "quick", "reload", "reload", took: 7, result: "cancelled"),
      ], now: 2_000_100, lost: 3)
    #expect(
      TraceBlame.lines(trace) == [
        "         30s  cache  didFinishLaunching (start)  timed out",
        "          2s  hung  reload (reload)  still on its way",
        "      1.204s  db  didFinishLaunching (start)",
        "      45.6ms  db  reload (reload)  longest of 3",
        "       204us  web  didFinishLaunching (start)  failed: refused",
        "         7us  quick  reload (reload)  cancelled",
        "3 older entries of the trace are lost",
      ])
  }

  @Test("Calls that took no time are only counted, but for the first ten and those that went wrong")
  func noise() {
    let entries = (0..<50).map { number in
      ControlReplies.TraceEntry.call(
        0, "listener \(number)", "reload", took: UInt64(50 - number), result: number == 49 ? "timedOut" : "ok")
    }
    let lines = TraceBlame.lines(ControlReplies.Trace(entries, now: 100))
    #expect(lines.count == 12)
    #expect(lines[9].hasSuffix("41us  listener 9  reload (start)"))
    #expect(lines[10].hasSuffix("1us  listener 49  reload (start)  timed out"))
    #expect(lines[11] == "and 39 more of less than 1ms")
    #expect(TraceBlame.lines(ControlReplies.Trace([], now: 0)).isEmpty)
  }

  @Test("F18: hostile names and reasons stay on their line")
  func hostile() {
    for text in HostileText.all {
      let entry = ControlReplies.TraceEntry.call(.max / 2, text, text, text, took: .max, result: "failed", text: text)
      let trace = ControlReplies.Trace([entry, .call(9, "a", text, took: nil, result: text)], now: 0)
      for hasColour in [false, true] {
        let lines = TraceBlame.lines(trace, hasColour: hasColour)
        #expect(lines.count == 2 && lines.allSatisfy { HostileText.isSafe($0, hasColour: hasColour) })
      }
    }
  }
}
