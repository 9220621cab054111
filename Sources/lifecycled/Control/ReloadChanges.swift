internal import Mediator
internal import MediatorBridge

/// What the newest reloads have changed, until whoever asked for them was told.
final class ReloadChanges: Sendable {
  /// Reloads whose askers may not have been told yet.
  private static let limit = 8
  private let byGeneration = Locked<[UInt64: ControlFacts.Changes]>([:])

  func note(_ changes: ControlFacts.Changes, generation: UInt64) {
    byGeneration.withLock { byGeneration in
      byGeneration[generation] = changes
      if byGeneration.count > Self.limit, let oldest = byGeneration.keys.min() { byGeneration[oldest] = nil }
    }
  }

  subscript(generation: UInt64) -> ControlFacts.Changes? { byGeneration.withLock { $0[generation] } }
}

extension ControlFacts.Changes {
  /// What a reload from one configuration to the other comes to.
  init(from old: Configuration, to new: Configuration) {
    self.init()
    let before = Dictionary(old.units.map { ($0.name, $0) }) { first, _ in first }
    let names = Set(new.units.map(\.name))
    removed = old.units.filter { !names.contains($0.name) }.map(\.title)
    for unit in new.units {
      guard let earlier = before[unit.name] else {
        added.append(unit.title)
        continue
      }
      if earlier.hasSameDefinition(as: unit) == false {
        if earlier.needsNewProcess(for: unit) { restarted.append(unit.title) } else { changed.append(unit.title) }
      }
      needRestart += earlier.fixedKeys(otherThanIn: unit).map { "\($0)= of \(unit.title)" }
    }
    needRestart += old.settings.fixedKeys(otherThanIn: new.settings).map { "\($0)=" }
  }
}

extension ConfiguredUnit {
  /// Whether a program is started again for it.
  fileprivate func needsNewProcess(for new: ConfiguredUnit) -> Bool {
    guard case (.program(let program), .program(let new)) = (self, new) else { return false }
    return program.definition.reload == .overlap || program.definition.needsRenewal(for: new.definition)
  }

  /// Keys whose change a reload leaves to the next start.
  func fixedKeys(otherThanIn new: ConfiguredUnit) -> [String] {
    [("Required", isRequired != new.isRequired), ("After", after != new.after)].filter(\.1).map(\.0)
  }
}

extension LifecycledSettings {
  /// Keys whose change a reload leaves to the next start.
  func fixedKeys(otherThanIn new: LifecycledSettings) -> [String] {
    [
      ("Watchdog", watchdog != new.watchdog), ("Signal", signals != new.signals),
      ("ControlReaders", controlReaders != new.controlReaders),
    ].filter(\.1).map(\.0)
  }
}
