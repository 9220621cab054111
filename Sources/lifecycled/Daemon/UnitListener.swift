internal import Mediator

/// The listener of a hook or program.
enum UnitListener: Sendable {
  case hook(HookListener)
  case program(ProgramListener)

  var title: String {
    switch self {
    case .hook(let hook): hook.name
    case .program(let program): program.name
    }
  }

  var entry: ListenerEntry {
    switch self {
    case .hook(let hook): hook.entry
    case .program(let program): program.entry
    }
  }

  /// What a reload has started and stopped in its own turn, the mediator does not start and stop again.
  func arrive(_ transition: LifecycleTransition) async throws {
    switch self {
    case .hook(let hook): try await hook.arrive(transition)
    case .program(let program): try await program.arrive(transition)
    }
  }

  func leave() async throws {
    switch self {
    case .hook(let hook): try await hook.leave()
    case .program(let program): await program.leave()
    }
  }

  /// What a reload has stopped is needed after all.
  func comeBack() async throws {
    switch self {
    case .hook(let hook): try await hook.comeBack()
    case .program(let program): try await program.comeBack()
    }
  }

  /// A required program that does not start: nothing of the new configuration counts then.
  var refusesReload: Bool { if case .program(let program) = self { program.definition.isRequired } else { false } }

  /// It is no member in anything but name, and the next reload tries it again.
  var hasFailed: Bool { if case .program(let program) = self { program.hasFailed } else { false } }

  /// A name says which of the two a unit is, so that it stays what it is.
  func replace(by unit: ConfiguredUnit) {
    switch (self, unit) {
    case (.hook(let listener), .hook(let hook)): listener.replace(by: hook.definition)
    case (.program(let listener), .program(let program)): listener.replace(by: program.$definition)
    case (.hook, .program), (.program, .hook): break
    }
  }
}

extension ConfiguredUnit {
  /// What listens beside its own listener.
  var companions: [UnitCompanion.Kind] {
    switch self {
    case .hook(let hook): UnitCompanion.kinds(of: hook.definition)
    case .program(let program): program.definition.health == nil ? [] : [.health]
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
    case (.program(let one), .program(let other)): one.$definition == other.$definition
    case (.hook, .program), (.program, .hook): false
    }
  }
}
