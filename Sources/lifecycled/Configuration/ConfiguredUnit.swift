/// What stands in the one order of a configuration: a hook or a program.
enum ConfiguredUnit: Sendable, Equatable {
  case hook(HookUnit)
  case program(ProgramUnit)

  /// The file name with its suffix.
  var name: String {
    switch self {
    case .hook(let hook): hook.name
    case .program(let program): program.name
    }
  }

  var isRequired: Bool {
    switch self {
    case .hook(let hook): hook.isRequired
    case .program(let program): program.isRequired
    }
  }

  var files: [String] {
    switch self {
    case .hook(let hook): hook.files
    case .program(let program): program.files
    }
  }

  /// nil for a program.
  var hook: HookUnit? { if case .hook(let hook) = self { hook } else { nil } }

  /// nil for a hook.
  var program: ProgramUnit? { if case .program(let program) = self { program } else { nil } }
}
