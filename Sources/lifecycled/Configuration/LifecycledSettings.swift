/// What `lifecycled.conf` says, or the defaults where it is silent.
struct LifecycledSettings: Sendable, Equatable {
  enum Watchdog: String, Sendable, CaseIterable {
    /// Answer the manager's watchdog if it has one.
    case yes
    /// Never answer it.
    case no
    /// Answer it, and let a failing health check trip it at once (`WATCHDOG=trigger`).
    case trigger
  }

  /// Who may read the state over the control socket, beside those who may steer.
  enum ControlReaders: String, Sendable, CaseIterable {
    case owner, group, everybody
  }

  var startTimeout = TimeSpan.seconds(90)
  var reloadTimeout = TimeSpan.seconds(30)
  var stopTimeout = TimeSpan.seconds(25)
  var drainDelay = TimeSpan.seconds(0)
  /// At most one rule for a signal: the last one written.
  var signals: [SignalRule] = []
  var watchdog = Watchdog.yes
  var logLevel = LogLevel.info
  var controlReaders = ControlReaders.owner
}

extension LifecycledSettings {
  /// Reads `lifecycled.conf`, already merged with its drop-ins; a value with a fault leaves the default.
  init(reading unit: UnitFile, findings: inout Findings) {
    self.init()
    var drainDelayEntry: UnitFile.Entry?
    for entry in UnitSchema.settings.accepted(in: unit, findings: &findings) {
      do throws(ValueParser.Problem) {
        try take(entry)
        if entry.key == "DrainDelaySec" { drainDelayEntry = entry }
      } catch {
        findings.fault(at: entry, "\(entry.key)=: \(error.what)", advice: error.advice)
      }
    }
    if let drainDelayEntry { checkDrainDelay(drainDelayEntry, findings: &findings) }
  }

  /// The rest of a stop's time is for those who stop.
  private func checkDrainDelay(_ entry: UnitFile.Entry, findings: inout Findings) {
    guard case .microseconds(let delay) = drainDelay, case .microseconds(let stop) = stopTimeout else { return }
    let longest = stop / 4 * 3 + stop % 4 * 3 / 4
    guard delay > longest else { return }
    let (enough, isTooLong) = delay.multipliedReportingOverflow(by: 4)
    let seconds = TimeSpan.seconds(enough / 3_000_000 + 1)
    findings.warn(
      at: entry,
      "\(entry.key)=: \(drainDelay) is more than three quarters of TimeoutStopSec=, which is \(stopTimeout): "
        + "it ends after \(TimeSpan.microseconds(longest))",
      advice: isTooLong ? "write a shorter one" : "write TimeoutStopSec=\(seconds) or more, or a shorter delay")
  }

  private mutating func take(_ entry: UnitFile.Entry) throws(ValueParser.Problem) {
    let value = entry.value
    // As in systemd, an empty value takes back what stood before.
    let defaults = LifecycledSettings()
    switch entry.key {
    case "TimeoutStartSec": startTimeout = value.isEmpty ? defaults.startTimeout : try ValueParser.timeout(value)
    case "TimeoutReloadSec": reloadTimeout = value.isEmpty ? defaults.reloadTimeout : try ValueParser.timeout(value)
    case "TimeoutStopSec": stopTimeout = value.isEmpty ? defaults.stopTimeout : try ValueParser.timeout(value)
    case "DrainDelaySec": drainDelay = value.isEmpty ? defaults.drainDelay : try ValueParser.delay(value)
    case "LogLevel": logLevel = value.isEmpty ? defaults.logLevel : try LogLevel(parsing: value)
    case "Watchdog": watchdog = value.isEmpty ? defaults.watchdog : try Self.watchdog(value)
    case "ControlReaders":
      controlReaders =
        value.isEmpty ? defaults.controlReaders : try ValueParser.word(value, ControlReaders.self, noun: "a reader")
    case "Signal":
      if value.isEmpty { signals = [] }
      for word in value.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
        let rule = try SignalRule(parsing: String(word))
        signals.removeAll { $0.signal == rule.signal }
        signals.append(rule)
      }
    default: break
    }
  }

  private static func watchdog(_ value: String) throws(ValueParser.Problem) -> Watchdog {
    if let isOn = try? ValueParser.boolean(value) { return isOn ? .yes : .no }
    return try ValueParser.word(value, Watchdog.self, noun: "yes, no or trigger")
  }
}
