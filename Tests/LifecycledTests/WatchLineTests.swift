import Testing

@testable import lifecycled

@Suite("A line of watch", .timeLimit(.minutes(5)))
struct WatchLineTests {
  typealias Happening = ControlReplies.Happening

  private static func happening(_ kind: String, _ change: (inout Happening) -> Void = { _ in }) -> Happening {
    var happening = Happening(kind: kind, realtimeUSec: 90_007_654)
    change(&happening)
    return happening
  }

  private static let hangup = ControlReplies.Origin(kind: "signal", signal: 1, pid: 7, uid: 8)
  private static let failure = ControlReplies.Failure(
    listener: "10-db", event: "reload", required: true, timeout: false, message: "why")

  private static func line(_ happening: Happening, hasColour: Bool = false) -> String {
    WatchLine.text(happening, hasColour: hasColour) { "at \($0)" }
  }

  @Test(
    "Each happening is one line: when, what, why, how long, and what came of it",
    arguments: [
      (happening("state") { $0.state = "reloading" }, "state     reloading"),
      (
        happening("began") { ($0.event, $0.reason, $0.origin) = ("reload", "reload", hangup) },
        "began     reload (reload)  by SIGHUP from process 7 of user 8"
      ),
      (
        happening("ended") { ($0.event, $0.reason, $0.durationUSec) = ("reload", "reload", 6_123) },
        "ended     reload (reload)  6.12ms"
      ),
      (
        happening("ended") {
          ($0.event, $0.reason, $0.durationUSec, $0.cancelled) = ("willTerminate", "stop", 5_000_000, true)
        }, "ended     willTerminate (stop)  5s  cancelled"
      ),
      (happening("failed") { $0.failure = failure }, "failed    10-db in reload: why"),
      (happening("unwell") { $0.failure = failure }, "unwell    10-db: why"),
      (happening("reloaded") { ($0.generation, $0.durationUSec) = (4, 12_345) }, "reload    generation 4  12.3ms"),
      (happening("reloadFailed") { $0.failure = failure }, "reload    failed: 10-db in reload: why"),
      (happening("reloadDropped"), "reload    dropped by the stop"),
      (happening("signal") { $0.origin = hangup }, "signal    SIGHUP from process 7 of user 8"),
      (
        happening("signal") { $0.origin = ControlReplies.Origin(kind: "signal", signal: 15, pid: 0, uid: 0) },
        "signal    SIGTERM"
      ),
      (
        happening("scene") { $0.scene = ControlReplies.Scene(id: "a", kind: "process", state: "foreground") },
        "scene     a (process)  foreground"
      ),
      (happening("request") { $0.text = "rotate: done" }, "request   rotate: done"),
      (happening("finished") { $0.exitStatus = 70 }, "finished  exit status 70"),
      (happening("of-a-later-version") { $0.text = "words" }, "of-a-later-version  words"),
    ])
  func kinds(happening: Happening, expected: String) { #expect(Self.line(happening) == "at 90.007  " + expected) }

  @Test("Colour is where it says something, and around the text alone")
  func colours() {
    let failed = Self.happening("failed") { $0.failure = Self.failure }
    #expect(Self.line(failed, hasColour: true) == "at 90.007  \u{1B}[31mfailed    10-db in reload: why\u{1B}[0m")
    #expect(!Self.line(Self.happening("signal") { $0.origin = Self.hangup }, hasColour: true).contains("\u{1B}"))
  }

  @Test("F18: hostile text in any place stays one line, with its escapes shown")
  func hostile() {
    for text in HostileText.all {
      for kind in ["state", "began", "ended", "failed", "unwell", "reloadFailed", "signal", "scene", "request", text] {
        var failure = Self.failure
        (failure.listener, failure.event, failure.message) = (text, text, text)
        let happening = Happening(
          kind: kind, realtimeUSec: .max, state: text, event: text, reason: text,
          origin: ControlReplies.Origin(kind: text, signal: .max, pid: .min, uid: .max, scene: text),
          failure: failure, scene: ControlReplies.Scene(id: text, kind: text, state: text), text: text)
        for hasColour in [false, true] {
          #expect(HostileText.isSafe(Self.line(happening, hasColour: hasColour), hasColour: hasColour))
        }
      }
    }
  }
}
