internal import MediatorLinux

/// The variables that a hook's commands get.
enum HookEnvironment {
  /// What a service manager told lifecycled, and would be wrong of anybody else.
  private static let ours: Set<String> = [
    "NOTIFY_SOCKET", "MAINPID", "MANAGERPID", "SYSTEMD_EXEC_PID", "JOURNAL_STREAM", "FDSTORE",
    "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
  ]

  /// This process's own, as it is now.
  static func inherited() -> [String: String] { withoutOurs(ProcessEnvironment.all()) }

  static func withoutOurs(_ environment: [String: String]) -> [String: String] {
    environment.filter { name, _ in
      !ours.contains(name) && !name.hasPrefix("WATCHDOG_") && !name.hasPrefix("LISTEN_")
    }
  }

  /// What the later writes goes before what the earlier says: inherited, `Environment=`, `EnvironmentFile=`, ours.
  ///
  /// - Parameter files: the content of `EnvironmentFile=`, in order.
  static func variables(
    inherited: [String: String], context: some ExecutionContext, files: [EnvironmentVariable], facts: [String: String]
  ) -> [String: String] {
    var result = inherited
    // They describe whoever runs the hook; the verb sets them for a user.
    if context.user != nil { for name in ["HOME", "USER", "LOGNAME", "SHELL"] { result[name] = nil } }
    for variable in context.environment + files { result[variable.name] = variable.value }
    return result.merging(facts) { $1 }
  }
}
