internal import Mediator

/// Which keys a kind of file has, and what to say about one that does not belong.
struct UnitSchema: Sendable {
  /// As used in messages: "a .hook file".
  var kind: String
  var section: String
  var keys: [String]

  static let settings = UnitSchema(
    kind: "lifecycled.conf", section: "Lifecycle",
    keys: [
      "TimeoutStartSec", "TimeoutReloadSec", "TimeoutStopSec", "DrainDelaySec", "Signal", "Watchdog", "LogLevel",
    ])

  static let hook = UnitSchema(
    kind: "a .hook file", section: "Hook",
    keys: [
      "On", "Reason", "Exec", "TimeoutSec", "IntervalSec", "Required", "User", "Group", "WorkingDirectory",
      "Environment", "EnvironmentFile",
    ])

  private static let all = [settings, hook]

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
      keys.contains($0.key) || SystemdKeys.contains($0.key) || owner(of: $0.key) != nil
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
    } else if let owner = owner(of: entry.key) {
      findings.fault(
        at: entry, "\(key)= does not belong in \(kind)", advice: "it belongs in [\(owner.section)] of \(owner.kind)")
    } else if SystemdKeys.contains(entry.key) {
      let ours = Self.replacement(of: entry.key).flatMap { keys.contains($0) ? $0 : nil }
      findings.fault(
        at: entry, "\(key)= is a key of systemd that lifecycled does not have",
        advice: ours.map { "write \($0)=" } ?? "set it in the unit of lifecycled itself, or remove it")
    } else if section.name == self.section {
      let near = Suggestion.nearest(to: entry.key, among: keys).map { "did you mean \($0)=?" }
      findings.warn(at: entry, "unknown key \(key)=", advice: near)
    }
  }

  /// The other kind of file that has this key.
  private func owner(of key: String) -> UnitSchema? {
    Self.all.first { $0.section != section && $0.keys.contains(key) }
  }

  /// Our name for what systemd calls otherwise.
  private static func replacement(of key: String) -> String? {
    switch key {
    case "ExecStart", "ExecStartPre", "ExecStartPost", "ExecStop", "ExecStopPost", "ExecReload": "Exec"
    case "WatchdogSec": "Watchdog"
    case "LogLevelMax": "LogLevel"
    default: nil
    }
  }
}
