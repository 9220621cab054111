import Mediator
import Testing

@testable import lifecycled

@Suite("lifecycled.conf", .timeLimit(.minutes(5)))
struct SettingsTests {
  private func read(_ body: String, section: String = "Lifecycle") -> (LifecycledSettings, [String]) {
    let (unit, faults) = UnitReader.read(Array("[\(section)]\n\(body)\n".utf8), file: "c")
    var findings = Findings()
    findings.append(contentsOf: faults)
    let settings = LifecycledSettings(reading: unit, findings: &findings)
    return (settings, findings.all.map(\.description))
  }

  @Test("Defaults stand where the file is silent")
  func defaults() {
    let (settings, findings) = read("")
    #expect(settings.startTimeout == .seconds(90))
    #expect(settings.reloadTimeout == .seconds(30))
    #expect(settings.stopTimeout == .seconds(25))
    #expect(settings.drainDelay == .seconds(0))
    #expect(settings.signals.isEmpty)
    #expect(settings.logLevel == .info)
    #expect(findings.isEmpty)
  }

  @Test("Every key is read; the last of a signal counts; empty takes back")
  func everyKey() {
    let (settings, findings) = read(
      """
      TimeoutStartSec=2min
      TimeoutReloadSec=infinity
      TimeoutStopSec=10
      DrainDelaySec=5
      Signal=USR1:pause SIGUSR2:resume
      Signal=RTMIN+5:event
      Signal=usr1:ignore
      Watchdog=trigger
      LogLevel=debug
      TimeoutStopSec=
      """)
    #expect(findings.isEmpty)
    #expect(settings.startTimeout == .seconds(120))
    #expect(settings.reloadTimeout == .infinity)
    #expect(settings.stopTimeout == .seconds(25))
    #expect(settings.drainDelay == .seconds(5))
    #expect(settings.watchdog == .trigger)
    #expect(settings.logLevel == .debug)
    #expect(
      settings.signals == [
        .init(signal: 12, action: .resume), .init(signal: 39, action: .event), .init(signal: 10, action: .ignore),
      ])
    #expect(read("Signal=USR1:stop\nSignal=\n").0.signals.isEmpty)
  }

  @Test(
    "E10: a wrong value is named together with what is accepted",
    arguments: [
      (
        "TimeoutStartSec=0",
        "c:2: TimeoutStartSec=: 0 is no time limit: '0' would end everything at once (write a time such as 30s, or infinity for no limit)"
      ),
      ("TimeoutStopSec=-1", "c:2: TimeoutStopSec=: '-1' is negative (write a time such as 30s)"),
      (
        "TimeoutReloadSec=5 parsecs",
        "c:2: TimeoutReloadSec=: '5 parsecs' is not a time: cannot read 'parsecs' (write a time such as 30s, 1min 30s or 500ms; see systemd.time(7))"
      ),
      ("DrainDelaySec=infinity", "c:2: DrainDelaySec=: 'infinity' would never end (write a time such as 5s, or 0)"),
      ("DrainDelaySec=-3s", "c:2: DrainDelaySec=: '-3s' is negative (write a time such as 30s)"),
      ("LogLevel=debgu", "c:2: LogLevel=: 'debgu' is not a log level (did you mean debug?)"),
      ("Watchdog=maybe", "c:2: Watchdog=: 'maybe' is not yes, no or trigger (it is one of yes, no, trigger)"),
      ("Signal=KILL:stop", "c:2: Signal=: KILL cannot be given an action: the kernel delivers it to nobody"),
      (
        "Signal=SIGSEGV:event",
        "c:2: Signal=: SEGV cannot be given an action: it means that the program itself is broken"
      ),
      ("Signal=19:pause", "c:2: Signal=: STOP cannot be given an action: the kernel delivers it to nobody"),
      ("Signal=CHLD:event", "c:2: Signal=: CHLD cannot be given an action: lifecycled needs it for its own children"),
      ("Signal=USR1", "c:2: Signal=: 'USR1' is not of the form NAME:ACTION (for example USR1:pause)"),
      ("Signal=USR1:", "c:2: Signal=: 'USR1:' is not of the form NAME:ACTION (for example USR1:pause)"),
      ("Signal=USR1:relod", "c:2: Signal=: 'relod' is not an action (did you mean reload?)"),
      ("Signal=USR3:stop", "c:2: Signal=: 'USR3' is not a signal (did you mean USR1?)"),
      (
        "Signal=RTMIN+31:stop",
        "c:2: Signal=: 'RTMIN+31' is beyond the real-time signals (they go from RTMIN to RTMIN+30)"
      ),
      ("Signal=33:stop", "c:2: Signal=: '33' is not the number of a signal (they go from 1 to 31 and from 34 to 64)"),
    ])
  func wrongValues(line: String, finding: String) {
    let (settings, findings) = read(line)
    #expect(findings == [finding])
    #expect(settings == LifecycledSettings())
  }

  @Test(
    "A drain delay of more than three quarters of the stop's time is warned of, wherever the two stand",
    arguments: [
      ("DrainDelaySec=18750ms", nil), ("DrainDelaySec=1min\nTimeoutStopSec=infinity", nil),
      ("DrainDelaySec=20\nDrainDelaySec=", nil), ("DrainDelaySec=3\nTimeoutStopSec=4", nil),
      (
        "DrainDelaySec=20",
        "c:2: warning: DrainDelaySec=: 20s is more than three quarters of TimeoutStopSec=, which is 25s: it ends after "
          + "18s 750ms (write TimeoutStopSec=27s or more, or a shorter delay)"
      ),
      (
        "TimeoutStopSec=2\nDrainDelaySec=1\nDrainDelaySec=2",
        "c:4: warning: DrainDelaySec=: 2s is more than three quarters of TimeoutStopSec=, which is 2s: it ends after "
          + "1s 500ms (write TimeoutStopSec=3s or more, or a shorter delay)"
      ),
    ] as [(String, String?)])
  func longDrain(text: String, finding: String?) {
    #expect(read(text).1 == (finding.map { [$0] } ?? []))
  }

  @Test("What lifecycled.conf says of limits and of the watchdog is what the bridge gets")
  func bridge() {
    let settings = read("TimeoutStartSec=1\nTimeoutReloadSec=2\nTimeoutStopSec=8\nDrainDelaySec=3").0
    #expect(
      BridgeSettings(settings).timeouts
        == LifecycleTimeouts(
          start: .seconds(1), reload: .seconds(2), stop: .seconds(8), call: nil, drainDelay: .seconds(3)))
    let policies = ["", "yes", "no", "trigger"].map { BridgeSettings(read("Watchdog=\($0)").0).watchdog }
    #expect(policies == [.silence, .silence, .off, .trigger])
  }

  @Test(
    "A signal may be written in each usual way",
    arguments: [
      ("HUP", 1), ("SIGHUP", 1), ("sighup", 1), ("1", 1), ("RTMIN", 34), ("SIGRTMIN+3", 37), ("RTMAX", 64),
      ("RTMAX-1", 63),
      ("64", 64), ("POLL", 29), ("WINCH", 28),
    ] as [(String, Int32)])
  func signalNames(text: String, number: Int32) throws {
    #expect(try SignalName.number(of: text) == number)
  }

  @Test(
    "What is no signal is refused",
    arguments: ["", "SIG", "0", "-1", "65", "RTMIN-1", "RTMIN+", "RTMAX+1", "RTMIN+99999", "99999999999"])
  func noSignals(text: String) {
    #expect(throws: ValueParser.Problem.self) { try SignalName.number(of: text) }
  }

  @Test("Each signal's name gives its number again")
  func namesReadBack() throws {
    for number in [Int32](1...31) + Array(SignalName.realTime) {
      #expect(try SignalName.number(of: SignalName.name(of: number)) == number)
    }
  }

  @Test(
    "E08: keys that do not belong are judged by where they belong",
    arguments: [
      (
        "Lifecycle", "TimeoutSec=5",
        "c:2: TimeoutSec= does not belong in lifecycled.conf (it belongs in [Hook] of a .hook file)"
      ),
      ("Service", "TimeoutStopSec=5", "c:2: TimeoutStopSec= stands in [Service] (it belongs in [Lifecycle])"),
      (
        "Lifecycle", "Restart=always",
        "c:2: Restart= does not belong in lifecycled.conf (it belongs in [Process] of a .process file)"
      ),
      (
        "Lifecycle", "WatchdogSec=5",
        "c:2: WatchdogSec= is a key of systemd that lifecycled does not have (write Watchdog=)"
      ),
      ("Lifecycle", "LogLevl=info", "c:2: warning: unknown key LogLevl= (did you mean LogLevel=?)"),
      ("Lifecycle", "Frobnicate=1", "c:2: warning: unknown key Frobnicate="),
      ("Lifecycl", "Frobnicate=1", "c:1: warning: unknown section [Lifecycl] (did you mean [Lifecycle]?)"),
      ("Foo", "", "c:1: warning: unknown section [Foo] (lifecycled.conf has [Lifecycle] only)"),
    ])
  func foreignKeys(section: String, line: String, finding: String) {
    #expect(read(line, section: section).1 == [finding])
  }

  @Test("Keys and sections that begin with X- belong to others and are passed over, as in systemd")
  func foreignExtensions() {
    #expect(read("X-Note=1").1.isEmpty)
    #expect(read("Anything=1", section: "X-Ansible").1.isEmpty)
  }
}
