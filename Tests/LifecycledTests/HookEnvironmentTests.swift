import Foundation
import Mediator
import MediatorBridge
import Testing

@testable import lifecycled

@Suite("What a hook is given", .timeLimit(.minutes(5)))
struct HookEnvironmentTests {
  private let inherited = ["A": "inherited", "B": "inherited", "HOME": "/root", "USER": "root"]

  @Test("the later source wins: inherited, Environment=, EnvironmentFile=, lifecycled's own")
  func order() throws {
    var hook = HookDefinition(name: "10-a.hook")
    hook.environment = try ["B=1", "C=1", "D=1"].map { try #require(EnvironmentVariable(assignment: $0)) }
    let files = try ["C=2", "D=2"].map { try #require(EnvironmentVariable(assignment: $0)) }
    let variables = HookEnvironment.variables(inherited: inherited, context: hook, files: files, facts: ["D": "3"])
    #expect(variables == ["A": "inherited", "B": "1", "C": "2", "D": "3", "HOME": "/root", "USER": "root"])
  }

  @Test("a hook with a user of its own does not get ours")
  func user() {
    var hook = HookDefinition(name: "10-a.hook")
    hook.user = "daemon"
    let variables = HookEnvironment.variables(inherited: inherited, context: hook, files: [], facts: [:])
    #expect(variables == ["A": "inherited", "B": "inherited"])
  }

  @Test("A14: what the manager told lifecycled alone is left out")
  func ours() {
    let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "MAINPID"]
    let all = Dictionary(uniqueKeysWithValues: names.map { ($0, "1") }).merging(["LISTENER": "1"]) { $1 }
    #expect(HookEnvironment.withoutOurs(all) == ["LISTENER": "1"])
  }

  @Test(
    "the verb's command line says what it read",
    arguments: [
      (["", "", "", "/bin/true"], true), (["daemon", "nogroup", "/tmp", "sh", "-c", "", "$A"], true),
      (["a", "b", "c"], false),
      (["", "", "", ""], false), ([], false),
    ])
  func verb(arguments: [String], isValid: Bool) {
    #expect(ExecVerb(arguments: arguments)?.arguments == (isValid ? ["@exec"] + arguments : nil))
  }

  @Test("the verb's report is read back; what a program prints is not taken for one")
  func problem() {
    let problem = ExecVerb.Problem(203, errno: 2, "cannot run /x\n: No such file")
    #expect(
      ExecVerb.Problem(line: Array(problem.line.utf8))
        == ExecVerb.Problem(203, errno: 2, #"cannot run /x\x0a: No such file"#))
    for text in ["", "lifecycled @exec: ", "lifecycled @exec: a 2 x", "lifecycled @exec: 203 2", "hello"] {
      #expect(ExecVerb.Problem(line: Array(text.utf8)) == nil)
    }
  }

  private var roster: UnitRoster {
    let log = EventLog(style: .prefixed, level: .emerg)
    let runner = HookRunner(log: log, inherited: [:])
    return UnitRoster(runner: runner, host: ProgramHost(runner: runner, log: log), log: log)
  }

  @Test("only hooks with On=health are listeners whose health is checked, so that others wake nobody up")
  func healthChecking() {
    var plain = HookDefinition(name: "10-a.hook")
    plain.events = [.start]
    var checked = HookDefinition(name: "20-b.hook")
    checked.events = [.start, .health]
    checked.isRequired = false
    let units = [checked, plain].map { HookUnit(definition: $0, files: []) }
    let entries = roster.entries(for: Configuration(folders: .standard, units: units.map(ConfiguredUnit.hook)))
    let snapshot = LifecycleMediator(center: NotificationCenter()) { entries }.snapshot
    #expect(snapshot.map(\.name) == ["20-b", "10-a", "20-b"])
    #expect(snapshot.map(\.isRequired) == [false, true, false])
    #expect(snapshot.map(\.capabilities) == [[], [], [.health]])
  }

  @Test("a hook has one listener more for each kind of news that it names, and its health comes beside them")
  func companions() {
    var hook = HookDefinition(name: "10-a.hook")
    hook.events = [.memoryPressure, .start, .timeChange, .credentials, .wake, .sleep, .signal, .health]
    hook.signals = [28, 40]
    let unit = ConfiguredUnit.hook(HookUnit(definition: hook, files: []))
    let mediator = LifecycleMediator(center: NotificationCenter()) {
      roster.entries(for: Configuration(folders: .standard, units: [unit]))
    }
    #expect(
      mediator.snapshot.map(\.capabilities) == [
        [], [.memoryPressure], [.timeChange], [.secrets], [.signals], [.health], [.sleep],
      ])
    #expect(mediator.signals == [SignalNumber(28), SignalNumber(40)])
  }

  @Test("what a hook is told of news; what is not known is empty")
  func facts() {
    let pressure = MemoryPressure(level: .full, usedBytes: 7, some: .init(average10: 18.25), full: nil)
    #expect(
      HookMemory.facts(pressure) == [
        "LIFECYCLE_PRESSURE": "full", "LIFECYCLE_PRESSURE_SOME": "18.25", "LIFECYCLE_PRESSURE_FULL": "",
        "LIFECYCLE_MEMORY_USED": "7",
      ])
    let signal = SignalNumber(SignalName.realTime.lowerBound + 5)
    #expect(
      HookSignals.facts(.signal(number: signal, senderPID: 4, senderUID: 5, value: -6)) == [
        "LIFECYCLE_EVENT": "signal:RTMIN+5", "LIFECYCLE_SIGNAL": "RTMIN+5", "LIFECYCLE_VALUE": "-6",
        "LIFECYCLE_SENDER_PID": "4", "LIFECYCLE_SENDER_UID": "5",
      ])
    let plain = HookSignals.facts(.signal(number: SignalNumber(28), senderPID: 4, senderUID: 5, value: nil))
    #expect(plain["LIFECYCLE_VALUE"] == "" && plain["LIFECYCLE_SIGNAL"] == "WINCH")
  }

  @Test("each action of Signal= is the bridge's of that name")
  func signals() throws {
    var settings = LifecycledSettings()
    settings.signals = try [
      "HUP:reload", "TERM:stop", "USR1:pause", "USR2:resume", "WINCH:event", "INT:ignore", "1:default",
    ]
    .map { try SignalRule(parsing: $0) }
    let signals = BridgeSettings(settings).signals
    #expect(signals[SignalNumber(15)] == .stop)
    #expect(signals[SignalNumber(10)] == .pause(.operator))
    #expect(signals[SignalNumber(12)] == .resume(.operator))
    #expect(signals[SignalNumber(28)] == .event)
    #expect(signals[SignalNumber(2)] == .ignore)
    #expect(signals[SignalNumber(1)] == .default)
  }
}
