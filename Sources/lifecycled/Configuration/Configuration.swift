/// The whole configuration as read at one moment: settings, hooks in their order, and everything found wrong.
struct Configuration: Sendable, Equatable {
  var folders: ConfigurationFolders
  var settings = LifecycledSettings()
  /// In the order of their file names.
  var hooks: [HookUnit] = []
  var findings = Findings()
  /// The folder that `--config` names is missing or unreadable.
  var lacksFolder = false

  var faults: [Fault] { findings.faults }
  var warnings: [Fault] { findings.warnings }

  /// With any fault nothing of it is used.
  var isUsable: Bool { faults.isEmpty }

  /// What to exit with at start; `success` if it is usable.
  var exitCode: ExitCode {
    if lacksFolder { return .noInput }
    return isUsable ? .success : .configuration
  }

  /// The hooks for an event, in the order in which they run.
  func hooks(on event: HookEvent, reason: HookReason) -> [HookUnit] {
    let matching = hooks.filter { $0.definition.runs(on: event, reason: reason) }
    return event.runsInReverse ? matching.reversed() : matching
  }
}
