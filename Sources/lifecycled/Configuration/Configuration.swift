/// The whole configuration as read at one moment: settings, hooks and programs in their order, and everything
/// found wrong.
struct Configuration: Sendable, Equatable {
  var folders: ConfigurationFolders
  var settings = LifecycledSettings()
  /// Hooks and programs, in the order of their file names but for what `After=` says.
  var units: [ConfiguredUnit] = []
  /// By file name: which hooks and programs `After=` really puts before each; only those that have any.
  var predecessors: [String: [String]] = [:]
  var findings = Findings()
  /// The folder that `--config` names is missing or unreadable.
  var lacksFolder = false

  /// In order.
  var hooks: [HookUnit] { units.compactMap(\.hook) }

  /// In order.
  var programs: [ProgramUnit] { units.compactMap(\.program) }

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
