/// What only the whole of a `.process` file shows: keys that are missing, that contradict each other or mean nothing.
extension ProcessReader {
  mutating func checkWhole(_ file: String) {
    if places["Exec"] == nil, !values.faulty.contains("Exec") {
      values.findings.fault(in: file, "this program has no Exec=", advice: "say what it runs")
    }
    checkReadiness(file)
    checkHealth()
    checkNotifyAccess()
    checkReload()
    checkRestart()
  }

  private mutating func checkReadiness(_ file: String) {
    if program.isNeverReady, let entry = places["Ready"] {
      values.fault(
        entry, "it would never be ready: ReadyTimeoutSec= is \(program.readyTimeout)",
        advice: "write a ReadyTimeoutSec= that is longer, or a shorter delay")
    }
    if case .descriptor(let number)? = program.readiness, let entry = places["Ready"],
      number < 3 + program.sockets.count
    {
      values.fault(
        entry, "descriptor \(number) is one of the sockets that Sockets= passes, from 3 on",
        advice: "write a higher one")
    }
    if let entry = places["ReadyTimeoutSec"], program.readiness == nil, !values.faulty.contains("Ready") {
      values.warn(entry, "it means nothing without Ready=", advice: "write Ready=, or remove this line")
    }
  }

  private mutating func checkHealth() {
    if program.health == nil, !values.faulty.contains("Health") {
      for key in ["HealthIntervalSec", "HealthThreshold"] {
        guard let entry = places[key] else { continue }
        values.fault(
          entry, "only a program with Health= is asked for its health", advice: "write Health=, or remove this line")
      }
    }
    if program.health == .notify, let entry = places["HealthThreshold"] {
      values.warn(
        entry, "it means nothing to Health=notify: the first WATCHDOG=1 that is late counts", advice: "remove it")
    }
  }

  private mutating func checkNotifyAccess() {
    guard program.listensToNobody, let entry = places["NotifyAccess"] else { return }
    for key in ["Ready", "Health"] {
      guard let other = places[key], other.value == "notify" else { continue }
      values.fault(
        entry, "nobody could say what \(key)=notify \(entry.distance(from: other)) waits for",
        advice: "write main or all"
      )
    }
  }

  private mutating func checkReload() {
    if program.reload == .overlap, program.sockets.isEmpty, !values.faulty.contains("Sockets"),
      let entry = places["Reload"]
    {
      values.fault(
        entry, "two copies can only share sockets that lifecycled passes to both",
        advice: "write Sockets=, or ReloadSignal= or ReloadExec= instead of this line")
    } else if program.isReadyByTheOldCopy, !values.faulty.contains("Ready"), let entry = places["Reload"] {
      values.warn(
        entry, "a new copy that does not work would pass for ready, since the old one answers on the same socket",
        advice: "write Ready=notify, log: or fd:")
    }
    guard program.stopsWhenReloaded, let entry = places["ReloadSignal"] else { return }
    values.fault(
      entry, "\(SignalName.name(of: program.stopSignal)) is the signal that stops it",
      advice: "write another one here or in StopSignal=")
  }

  private mutating func checkRestart() {
    if let entry = places["RestartSec"], program.longestRestartDelay.isShorter(than: program.restartDelay) {
      if let longest = places["RestartMaxDelaySec"] {
        values.fault(
          longest, "it is shorter than RestartSec= \(longest.distance(from: entry))",
          advice: "write \(program.restartDelay) or more")
      } else {
        program.longestRestartDelay = program.restartDelay
      }
    }
    guard program.restart == .no, !values.faulty.contains("Restart") else { return }
    for key in ["RestartSec", "RestartMaxDelaySec", "StartLimitBurst", "StartLimitIntervalSec"] {
      guard let entry = places[key] else { continue }
      values.warn(entry, "it means nothing with Restart=no", advice: "write Restart=, or remove this line")
    }
  }
}
