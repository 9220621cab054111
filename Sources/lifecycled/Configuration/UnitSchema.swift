internal import Mediator

/// Which keys a kind of file has, and what to say about one that does not belong.
struct UnitSchema: Sendable {
  /// As used in messages: "a .hook file".
  var kind: String
  var section: String
  var keys: [String]
  /// What to do about a key of systemd that this kind of file has not; nil for no more than is said of all.
  var advice: @Sendable (UnitFile.Entry) -> String?

  static let settings = UnitSchema(
    kind: "lifecycled.conf", section: "Lifecycle",
    keys: [
      "TimeoutStartSec", "TimeoutReloadSec", "TimeoutStopSec", "DrainDelaySec", "Signal", "Watchdog", "LogLevel",
      "ControlReaders",
    ],
    advice: { entry in
      switch entry.key {
      case "WatchdogSec": "write Watchdog="
      case "LogLevelMax": "write LogLevel="
      default: nil
      }
    })

  static let hook = UnitSchema(
    kind: "a .hook file", section: "Hook",
    keys: [
      "On", "Reason", "Exec", "TimeoutSec", "IntervalSec", "Required", "User", "Group", "WorkingDirectory",
      "Environment", "EnvironmentFile", "After",
    ],
    advice: { entry in
      switch entry.key {
      case "ExecStart", "ExecStartPre", "ExecStartPost", "ExecStop", "ExecStopPost", "ExecReload": "write Exec="
      default: nil
      }
    })

  private static let all = [settings, hook, process]

  /// The assignments of this schema's keys in its section, in order; everything else is judged on the way.
  func accepted(in unit: UnitFile, findings: inout Findings) -> [UnitFile.Entry] {
    var accepted: [UnitFile.Entry] = []
    for section in unit.sections where !section.name.hasPrefix("X-") {
      let isOurs = section.name == self.section
      if !isOurs { judge(section, findings: &findings) }
      for entry in section.entries where !entry.key.hasPrefix("X-") {
        if isOurs, keys.contains(entry.key) {
          accepted.append(entry)
        } else {
          judge(entry, in: section, findings: &findings)
        }
      }
    }
    return accepted
  }

  private func judge(_ section: UnitFile.Section, findings: inout Findings) {
    // Each misplaced key says more than the section could.
    let saysMore = section.entries.contains {
      keys.contains($0.key) || SystemdKeys.contains($0.key) || !owners(of: $0.key).isEmpty
    }
    guard !saysMore, !section.name.isEmpty else { return }
    findings.warn(
      in: section.file, line: section.line, "unknown section [\(section.name.clipped)]",
      advice: Suggestion.nearest(to: section.name, among: [self.section]).map { "did you mean [\($0)]?" }
        ?? "\(kind) has [\(self.section)] only")
  }

  private func judge(_ entry: UnitFile.Entry, in section: UnitFile.Section, findings: inout Findings) {
    let key = entry.key.clipped
    if keys.contains(entry.key) {
      findings.fault(
        at: entry, "\(key)= stands in [\(section.name.clipped)]", advice: "it belongs in [\(self.section)]")
      return
    }
    let isSystemds = SystemdKeys.contains(entry.key)
    let replacement = isSystemds ? advice(entry) : nil
    let owners = owners(of: entry.key)
    if replacement == nil, !owners.isEmpty {
      let places = owners.map { "[\($0.section)] of \($0.kind)" }.joined(separator: " or ")
      findings.fault(at: entry, "\(key)= does not belong in \(kind)", advice: "it belongs in \(places)")
    } else if isSystemds {
      findings.fault(
        at: entry, "\(key)= is a key of systemd that lifecycled does not have",
        advice: replacement ?? "set it in the unit of lifecycled itself, or remove it")
    } else if section.name == self.section {
      let near = Suggestion.nearest(to: entry.key, among: keys).map { "did you mean \($0)=?" }
      findings.warn(at: entry, "unknown key \(key)=", advice: near)
    }
  }

  /// The other kinds of file that have this key.
  private func owners(of key: String) -> [UnitSchema] {
    Self.all.filter { $0.section != section && $0.keys.contains(key) }
  }
}
