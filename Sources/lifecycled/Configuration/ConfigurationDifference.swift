/// Which hooks and programs a reload adds, removes, changes or leaves alone, by name and in order.
struct ConfigurationDifference: Sendable, Equatable {
  var added: [String] = []
  var removed: [String] = []
  var changed: [String] = []
  var unchanged: [String] = []
  var settingsChanged = false

  var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty && !settingsChanged }
}

extension Configuration {
  func difference(from old: Configuration) -> ConfigurationDifference {
    var difference = ConfigurationDifference(settingsChanged: settings != old.settings)
    let before = Dictionary(old.units.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for unit in units {
      switch before[unit.name] {
      case nil: difference.added.append(unit.name)
      case unit: difference.unchanged.append(unit.name)
      default: difference.changed.append(unit.name)
      }
    }
    let now = Set(units.map(\.name))
    difference.removed = old.units.map(\.name).filter { !now.contains($0) }
    return difference
  }
}
