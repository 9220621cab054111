internal import Mediator

/// The listener of a hook or program.
enum UnitListener: Sendable {
  case hook(HookListener)
  case program(ProgramListener)

  var entry: ListenerEntry {
    switch self {
    case .hook(let hook): hook.entry
    case .program(let program): program.entry
    }
  }

  /// A name says which of the two a unit is, so that it stays what it is.
  func replace(by unit: ConfiguredUnit) {
    switch (self, unit) {
    case (.hook(let listener), .hook(let hook)): listener.replace(by: hook.definition)
    case (.program(let listener), .program(let program)): listener.replace(by: program.definition)
    case (.hook, .program), (.program, .hook): break
    }
  }
}

/// The listener that checks the health of a hook or program.
enum UnitCheck: Sendable {
  case hook(HookHealth)
  case program(ProgramHealth)

  var entry: ListenerEntry {
    switch self {
    case .hook(let hook): hook.entry
    case .program(let program): program.entry
    }
  }

  /// A program's checks are its own affair, and change and end with it.
  func definitionChanged() { if case .hook(let hook) = self { hook.definitionChanged() } }
  func end() { if case .hook(let hook) = self { hook.end() } }
}

extension ConfiguredUnit {
  var checksHealth: Bool {
    switch self {
    case .hook(let hook): hook.checksHealth
    case .program(let program): program.definition.health != nil
    }
  }

  var title: String {
    switch self {
    case .hook(let hook): hook.definition.title
    case .program(let program): program.definition.title
    }
  }

  var after: [String] {
    switch self {
    case .hook(let hook): hook.definition.after
    case .program(let program): program.definition.after
    }
  }

  /// Wherever the files lie that say so.
  func hasSameDefinition(as other: ConfiguredUnit) -> Bool {
    switch (self, other) {
    case (.hook(let one), .hook(let other)): one.definition == other.definition
    case (.program(let one), .program(let other)): one.definition == other.definition
    case (.hook, .program), (.program, .hook): false
    }
  }
}
