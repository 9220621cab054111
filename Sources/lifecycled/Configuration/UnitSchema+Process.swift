/// The keys of a `.process` file, and what to write instead of those that only a `.service` has.
extension UnitSchema {
  static let process = UnitSchema(
    kind: "a .process file", section: "Process",
    keys: [
      "Exec", "User", "Group", "WorkingDirectory", "Environment", "EnvironmentFile", "Ready", "ReadyTimeoutSec",
      "NotifyAccess", "Health", "HealthIntervalSec", "HealthThreshold", "ReloadSignal", "ReloadExec", "Reload",
      "StopSignal", "StopExec", "TimeoutStopSec", "Restart", "RestartSec", "RestartMaxDelaySec", "StartLimitBurst",
      "StartLimitIntervalSec", "Required", "After", "Sockets",
    ],
    advice: insteadOfService)

  private static func insteadOfService(_ entry: UnitFile.Entry) -> String? {
    switch entry.key {
    case "ExecStart": "write Exec="
    case "ExecReload": "write ReloadExec=, or ReloadSignal= for a signal"
    case "ExecStop": "write StopExec="
    case "ExecStartPre", "ExecStartPost", "ExecCondition": "write a .hook file with On=start, and After= for the order"
    case "ExecStopPost": "write a .hook file with On=stop"
    case "KillSignal", "RestartKillSignal": "write StopSignal="
    case "Type": insteadOfType(entry.value)
    case "WatchdogSec": "write Health=notify, and HealthIntervalSec= for this time"
    case "TimeoutStartSec": "write ReadyTimeoutSec="
    case "TimeoutSec": "write ReadyTimeoutSec= or TimeoutStopSec="
    case "StartLimitInterval": "write StartLimitIntervalSec="
    case "Before": "write After= in the other file"
    case "Requires", "Wants", "BindsTo", "Requisite": "write After= for the order; Required= says what a failure means"
    case "PIDFile": "keep the program in the foreground, and remove this line"
    case "StandardOutput", "StandardError": "remove it: what the program prints is logged under its name"
    case "KillMode", "SendSIGKILL": "remove it: nothing of a program outlives its stop"
    default: nil
    }
  }

  private static func insteadOfType(_ type: String) -> String {
    switch type {
    case "notify", "notify-reload": "write Ready=notify"
    case "forking": "have the program stay in the foreground, and write Ready= with a check"
    case "oneshot": "write a .hook file with On=start"
    case "simple", "exec": "remove it, or write Ready= with a check"
    default: "write Ready= with a check"
    }
  }
}
