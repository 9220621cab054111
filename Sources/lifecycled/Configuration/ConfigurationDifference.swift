/// Which hooks a reload adds, removes, changes or leaves alone, by name and in order.
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
    let before = Dictionary(old.hooks.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for hook in hooks {
      switch before[hook.name] {
      case nil: difference.added.append(hook.name)
      case hook: difference.unchanged.append(hook.name)
      default: difference.changed.append(hook.name)
      }
    }
    let now = Set(hooks.map(\.name))
    difference.removed = old.hooks.map(\.name).filter { !now.contains($0) }
    return difference
  }
}
