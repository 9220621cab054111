import Foundation
import Mediator
import Testing

@testable import lifecycled

@Suite("Fields for the journal", .timeLimit(.minutes(5)))
struct LogFieldsTests {
  /// The fields that every line has are left out.
  private static func fields(_ line: LogLine?) -> [String]? {
    line?.fields.filter { field in
      !["MESSAGE=", "PRIORITY=", "SYSLOG_FACILITY=3", "SYSLOG_IDENTIFIER=lifecycled"].contains { field.hasPrefix($0) }
    }
  }

  private static let failure = ListenerFailure(
    listener: "10-a", event: .didFinishLaunching, isRequired: true, message: "why", errno: 13)

  @Test("a line of our own has its level and our name, and says whom it is about")
  func own() {
    #expect(
      LogLine(.warning, subject: "10-a", "gone").fields == [
        "MESSAGE=10-a: gone", "PRIORITY=4", "SYSLOG_FACILITY=3", "SYSLOG_IDENTIFIER=lifecycled",
        "LIFECYCLE_LISTENER=10-a",
      ])
  }

  @Test("what a program prints stands under its name")
  func output() {
    #expect(
      LogLine.output(of: "10-a", "hello").fields == [
        "MESSAGE=hello", "PRIORITY=6", "SYSLOG_FACILITY=3", "SYSLOG_IDENTIFIER=10-a", "LIFECYCLE_LISTENER=10-a",
      ])
  }

  @Test("F18: whatever the text, no field has a control character but a tab")
  func escaped() {
    let line = LogLine.output(of: "10\n-a", "<0>x\r\u{1B}[2J\u{9B}\u{202E}\0\t\n")
    #expect(
      line.fields == [
        #"MESSAGE=<0>x\x0d\x1b[2J\u009b\u202e\x00"# + "\t" + #"\x0a"#, "PRIORITY=6", "SYSLOG_FACILITY=3",
        #"SYSLOG_IDENTIFIER=10\x0a-a"#, #"LIFECYCLE_LISTENER=10\x0a-a"#,
      ])
  }

  @Test(
    "a report has its kind and its facts",
    arguments: [
      (
        .signalReceived(.signal(number: SignalNumber(1), senderPID: 7, senderUID: 8, value: nil)),
        .signalReceived,
        [
          "LIFECYCLE_GENERATION=2", "LIFECYCLE_SIGNAL=SIGHUP", "LIFECYCLE_SENDER_PID=7", "LIFECYCLE_SENDER_UID=8",
        ]
      ),
      (
        .signalReceived(.signal(number: SignalNumber(1), senderPID: 0, senderUID: 0, value: nil)), .signalReceived,
        ["LIFECYCLE_GENERATION=2", "LIFECYCLE_SIGNAL=SIGHUP"]
      ),
      (
        .eventBegan(.didEnterBackground, .pause, .embedder, serial: 9), .eventBegan,
        [
          "LIFECYCLE_EVENT=didEnterBackground", "LIFECYCLE_REASON=pause", "LIFECYCLE_GENERATION=2",
          "LIFECYCLE_TRANSITION=9",
        ]
      ),
      (
        .eventEnded(.reload, .reload, serial: 9, duration: .microseconds(12_345), wasCancelled: false), .eventEnded,
        [
          "LIFECYCLE_EVENT=reload", "LIFECYCLE_REASON=reload", "LIFECYCLE_GENERATION=2", "LIFECYCLE_TRANSITION=9",
          "LIFECYCLE_DURATION_USEC=12345",
        ]
      ),
      (.stateChanged(.foreground), .stateChanged, ["LIFECYCLE_STATE=foreground", "LIFECYCLE_GENERATION=2"]),
      (
        .listenerFailed(failure), .listenerFailed,
        ["LIFECYCLE_LISTENER=10-a", "LIFECYCLE_EVENT=didFinishLaunching", "LIFECYCLE_GENERATION=2", "ERRNO=13"]
      ),
      (.unwell(failure), .listenerUnwell, ["LIFECYCLE_LISTENER=10-a", "LIFECYCLE_GENERATION=2", "ERRNO=13"]),
      (
        .reloadEnded(.reloaded(generation: 3, .seconds(2))), .reloaded,
        ["LIFECYCLE_GENERATION=3", "LIFECYCLE_DURATION_USEC=2000000"]
      ),
      (
        .reloadEnded(.failed(LifecycleError(failure))), .reloadFailed,
        ["LIFECYCLE_LISTENER=10-a", "LIFECYCLE_GENERATION=2", "ERRNO=13"]
      ),
      (.reloadEnded(.droppedByStop), .reloadDropped, ["LIFECYCLE_GENERATION=2"]),
      (.finished(exitStatus: 70), .finished, ["LIFECYCLE_GENERATION=2", "LIFECYCLE_EXIT_STATUS=70"]),
      (.nothingToReload, nil, ["LIFECYCLE_GENERATION=2"]),
    ] as [(LifecycleReport, LogKind?, [String])])
  func reports(report: LifecycleReport, kind: LogKind?, expected: [String]) {
    let expected = (kind.map { ["MESSAGE_ID=\($0.rawValue)"] } ?? []) + expected
    #expect(Self.fields(LogLine(report, generation: 2)) == expected)
  }

  @Test("each kind of line and each field stands in the README")
  func documented() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    for kind in LogKind.allCases { #expect(readme.contains("| `\(kind.rawValue)` |"), "\(kind)") }
    for field in LogField.allCases { #expect(readme.contains("`\(field.name)=`"), "\(field)") }
  }
}
