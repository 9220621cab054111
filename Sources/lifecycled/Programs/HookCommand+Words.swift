extension HookCommand {
  /// The arguments as the program gets them.
  func words(in environment: [String: String]) -> [String] {
    origin == .typed ? arguments : VariableExpansion.expand(arguments, environment: environment)
  }

  /// The arguments for `ExecVerb`, which expands variables in the user's environment: what was typed is final.
  var wordsForVerb: [String] {
    origin == .typed ? arguments.map { $0.replacing("$", with: "$$") } : arguments
  }
}

extension ProgramDefinition {
  /// How the log, STATUS and errors call it: the file name without its suffix.
  var title: String { name.hasSuffix(".process") ? String(name.dropLast(8)) : name }

  /// Whether another definition needs another process; the rest can be changed while it runs.
  func needsRenewal(for other: ProgramDefinition) -> Bool {
    var same = other
    (same.health, same.healthInterval, same.healthThreshold) = (health, healthInterval, healthThreshold)
    (same.reload, same.stopSignal, same.stopCommands, same.stopTimeout) = (
      reload, stopSignal, stopCommands, stopTimeout
    )
    (same.restart, same.restartDelay, same.longestRestartDelay) = (restart, restartDelay, longestRestartDelay)
    (same.startLimit, same.startLimitInterval) = (startLimit, startLimitInterval)
    (same.isRequired, same.after, same.readyTimeout) = (isRequired, after, readyTimeout)
    let tellsInterval = health == .notify || other.health == .notify
    return same != self || tellsInterval && (health != other.health || healthInterval != other.healthInterval)
  }
}
