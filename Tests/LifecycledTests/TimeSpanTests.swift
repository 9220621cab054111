import Testing

@testable import lifecycled

/// The numbers are those of `systemd-analyze timespan` 252.
@Suite("Spans of time", .timeLimit(.minutes(5)))
struct TimeSpanTests {
  @Test(
    "E10: spans are read as systemd.time(7) has them",
    arguments: [
      ("1min 30s", 90_000_000), ("1min30s", 90_000_000), ("1 min 30 s", 90_000_000), ("1h30", 3_630_000_000),
      ("90", 90_000_000), (" 5s ", 5_000_000), ("5s 5", 10_000_000), ("5 s5", 10_000_000), ("1 2 3", 6_000_000),
      ("1.5", 1_500_000), (".5s", 500_000), ("1s.5", 1_500_000), ("1.5 min", 90_000_000), ("0.5us", 0),
      ("1.9999999999s", 1_999_999), ("0.000001s", 1), ("+5s", 5_000_000), ("1us", 1), ("1µs", 1), ("1μs", 1),
      ("1usec", 1), ("1ms", 1000), ("1msec", 1000), ("1m", 60_000_000), ("1M", 2_629_800_000_000),
      ("1month", 2_629_800_000_000), ("2.5M", 6_574_500_000_000), ("2 days", 172_800_000_000), ("1hr", 3_600_000_000),
      ("3hours", 10_800_000_000), ("1weeks", 604_800_000_000), ("1w 2d", 777_600_000_000), ("5seconds", 5_000_000),
      ("1y", 31_557_600_000_000), ("1ms1us1m", 60_001_001), ("584541y", 18_446_711_061_600_000_000), ("0", 0),
      ("5\ts", 5_000_000),
    ] as [(String, UInt64)])
  func valid(text: String, expected: UInt64) throws {
    #expect(try TimeSpan(parsing: text) == .microseconds(expected))
  }

  @Test("E10: infinity is a span without end", arguments: ["infinity", " infinity "])
  func infinity(text: String) throws {
    #expect(try TimeSpan(parsing: text) == .infinity)
    #expect(try TimeSpan(parsing: text).duration == nil)
  }

  @Test(
    "E10: what systemd refuses is refused, with the reason",
    arguments: [
      ("", .empty), ("  ", .empty), ("-1", .negative), ("- 1", .negative), ("1s -1s", .negative),
      ("584542y", .tooLarge), ("600000y", .tooLarge), ("99999999999999999999", .tooLarge),
      ("18446744073709551615us", .tooLarge), ("9999999999999999999999999999999999999999us", .tooLarge),
      ("584541y 584541y", .tooLarge), ("5 parsecs", .notATime("parsecs")), ("1,5s", .notATime("1,5s")),
      ("1.s", .notATime("1.s")), ("5e3", .notATime("5e3")), ("1S", .notATime("1S")), ("5secs", .notATime("s")),
      ("1ns", .notATime("1ns")), ("0x10s", .notATime("0x10s")), ("1-1", .notATime("1-1")),
      ("infinity5", .notATime("infinity5")),
      ("infinity 1s", .notATime("infinity 1s")), ("INFINITY", .notATime("INFINITY")), ("1.5.5s", .notATime("1.5.5s")),
      ("+.5s", .notATime("+.5s")), ("+ 5s", .notATime("+ 5s")), (".s", .notATime(".s")), ("5s,", .notATime(",")),
    ] as [(String, TimeSpan.Problem)])
  func invalid(text: String, problem: TimeSpan.Problem) {
    #expect(throws: problem) { try TimeSpan(parsing: text) }
  }

  @Test(
    "A span prints as systemd prints it and reads back the same", arguments: ["1min 30s", "500ms", "1w 2d", "1h 1us"])
  func printing(text: String) throws {
    #expect(try TimeSpan(parsing: text).description == text)
  }

  @Test("The greatest span still gives a duration")
  func greatest() throws {
    #expect(try TimeSpan(parsing: "584541y").duration == .microseconds(Int64.max))
  }
}
