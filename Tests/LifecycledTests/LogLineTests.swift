import Mediator
import Testing

@testable import lifecycled

@Suite("Log lines", .timeLimit(.minutes(5)))
struct LogLineTests {
  private static let hangup = LifecycleOrigin.signal(number: SignalNumber(1), senderPID: 7, senderUID: 8, value: nil)
  private static let kernel = LifecycleOrigin.signal(number: SignalNumber(1), senderPID: 0, senderUID: 0, value: nil)

  private static func failure(_ listener: String, _ event: LifecycleEvent, required: Bool) -> LifecycleReport {
    .listenerFailed(ListenerFailure(listener: listener, event: event, isRequired: required, message: "why"))
  }

  private static func unwell(required: Bool) -> LifecycleReport {
    .unwell(ListenerFailure(listener: "10-a", event: .didBecomeActive, isRequired: required, message: "why"))
  }

  @Test(
    "Each report is one line of a fixed level",
    arguments: [
      (.signalReceived(hangup), "<6>received SIGHUP from process 7 of user 8"),
      (.signalReceived(kernel), "<6>received SIGHUP"),
      (.eventBegan(.didEnterBackground, .pause, .embedder, serial: 1), "<5>didEnterBackground (pause)"),
      (
        .eventEnded(.reload, .reload, serial: 1, duration: .microseconds(12_345), wasCancelled: false),
        "<7>reload ended after 12ms"
      ),
      (
        .eventEnded(.reload, .reload, serial: 1, duration: .microseconds(45), wasCancelled: true),
        "<7>reload was cancelled after 45us"
      ),
      (failure("10-a", .willTerminate, required: true), "<3>10-a failed in willTerminate: why"),
      (failure("10-a", .didFinishLaunching, required: false), "<4>10-a failed in didFinishLaunching: why"),
      (failure("configuration", .reload, required: true), "<3>configuration failed in reload: why"),
      (failure("configuration", .prepareReload, required: true), nil),
      (unwell(required: true), "<3>10-a is unwell: why"), (unwell(required: false), "<4>10-a is unwell: why"),
      (.stateChanged(.foreground), "<7>state: foreground"),
      (.reloadEnded(.reloaded(generation: 3, .seconds(2))), "<5>reloaded in 2s: generation 3"),
      (
        .reloadEnded(.failed(LifecycleError(.listenerFailed, message: "why"))),
        "<3>the reload failed; what was in force stays in force"
      ),
      (.reloadEnded(.droppedByStop), "<5>the reload was dropped by the stop"),
      (.reloadRemembered, "<6>a reload was asked for; it follows"),
      (.nothingToReload, "<6>there is nothing to reload"),
      (
        .deferralReleased(name: "a", event: .reload), "<4>the deferral a was released without a call in reload"
      ),
      (
        .signalsReclaimed([SignalNumber(15), SignalNumber(1)]),
        "<4>another part of this process had taken SIGHUP, SIGTERM; taken back"
      ),
      (
        .notifyFailed(message: "sendmsg: gone", errno: 1),
        "<4>the service manager could not be told: sendmsg: gone; the service goes on"
      ),
      (
        .sleepNotAwaited(after: .milliseconds(4_500)),
        "<4>the machine sleeps or goes down now, and not all are in the background after 4s 500ms: it waits no longer than "
          + "InhibitDelayMaxSec= in logind.conf says"
      ),
      (.finished(exitStatus: 70), "<5>finished with exit status 70"),
    ] as [(LifecycleReport, String?)])
  func reports(report: LifecycleReport, expected: String?) {
    #expect(LogLine(report)?.rendered(.prefixed, time: "") == expected)
  }

  @Test(
    "A program's failure is told as people say it, and a scene's events with its name",
    arguments: [
      (failure("web", .didFinishLaunching, required: true), "<3>program web: why"),
      (failure("web", .didBecomeActive, required: false), "<4>program web: why"),
      (failure("web", .reload, required: true), "<3>program web: in the reload: why"),
      (failure("web", .revertReload, required: true), "<3>program web: cannot go back to what it was: why"),
      (failure("web", .willTerminate, required: true), "<3>program web: did not stop in order: why"),
      (failure("10-a", .didFinishLaunching, required: true), "<3>10-a failed in didFinishLaunching: why"),
      (.eventBegan(.sceneWillConnect, .start, .scene("web"), serial: 1), "<5>program web: sceneWillConnect (start)"),
      (.eventBegan(.sceneWillConnect, .start, .scene("x"), serial: 1), "<5>x: sceneWillConnect (start)"),
    ] as [(LifecycleReport, String?)])
  func programs(report: LifecycleReport, expected: String?) {
    #expect(LogLine(report, isProgram: { $0 == "web" })?.rendered(.prefixed, time: "") == expected)
  }

  @Test("F18: whatever the text, a rendered line is one line without a control character")
  func escaped() {
    let line = LogLine(.info, subject: "10\n-a", "<0>x\r\u{1B}[2J\u{9B}\u{202E}\0\t\n")
    #expect(line.rendered(.prefixed, time: "") == #"<6>10\x0a-a: <0>x\x0d\x1b[2J\u009b\u202e\x00"# + "\t" + #"\x0a"#)
  }

  @Test(
    "On a terminal a line begins with the time, and its level is a colour",
    arguments: [
      (.error, true, "12:00:00 \u{1B}[31mx\u{1B}[0m"), (.warning, true, "12:00:00 \u{1B}[33mx\u{1B}[0m"),
      (.info, true, "12:00:00 x"), (.error, false, "12:00:00 x"),
    ] as [(LogLevel, Bool, String)])
  func terminal(level: LogLevel, hasColour: Bool, expected: String) {
    #expect(LogLine(level, "x").rendered(.readable(hasColour: hasColour), time: "12:00:00") == expected)
  }
}
