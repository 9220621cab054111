internal import Glibc

/// Reads the whole configuration once, and names every fault instead of stopping at the first.
struct ConfigurationLoader: Sendable {
  var folders: ConfigurationFolders
  var source: any ConfigurationSource
  /// True for root: files that others can write are refused.
  var requiresRootOwnership: Bool
  /// What `%t` stands for.
  var runtimeDirectory: String?
  var limits = ConfigurationLimits()

  /// For this process: real files, and the rules for who we are.
  static func system(_ folders: ConfigurationFolders) -> ConfigurationLoader {
    let isRoot = geteuid() == 0
    let userFolder = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
    return ConfigurationLoader(
      folders: folders, source: SystemConfigurationSource(), requiresRootOwnership: isRoot,
      runtimeDirectory: isRoot ? "/run" : userFolder.flatMap { $0.isEmpty ? nil : $0 })
  }

  func load() -> Configuration {
    let catalogue = FolderCatalogue(
      folders, source: source, requiresRootOwnership: requiresRootOwnership, limits: limits)
    var result = Configuration(folders: folders, findings: catalogue.findings, lacksFolder: catalogue.lacksFolder)
    var loaded = loadSettings(catalogue, &result)
    var units: [String: ConfiguredUnit] = [:]
    var wishes: [String: [UnitOrder.Wish]] = [:]
    for name in catalogue.units.keys.sorted(by: FolderCatalogue.precedes) where name != FolderCatalogue.settingsName {
      loaded.insert(name)
      guard let (unit, after) = loadUnit(name, catalogue, &result) else { continue }
      units[name] = unit
      wishes[name] = after
    }
    let order = UnitOrder(wishes)
    result.units = order.names.compactMap { units[$0] }
    result.predecessors = order.predecessors
    result.findings.append(contentsOf: order.findings.all)
    result.findings.append(contentsOf: SignalMeaning.findings(result.hooks, result.settings).all)
    for name in catalogue.dropIns.keys.sorted(by: FolderCatalogue.precedes) where !loaded.contains(name) {
      for path in Self.paths(of: catalogue.dropIns[name]) {
        result.findings.warn(in: path, "there is no \(name) that this could add to")
      }
    }
    return result
  }

  /// `lifecycled.conf` may be missing and still have drop-ins; masked, it has none.
  private func loadSettings(_ catalogue: FolderCatalogue, _ result: inout Configuration) -> Set<String> {
    let name = FolderCatalogue.settingsName
    let path = catalogue.units[name]
    let dropIns = Self.paths(of: catalogue.dropIns[name])
    var findings = Findings()
    var unit = UnitFile()
    if let path {
      switch read(path, &findings) {
      case .masked: return [name]
      case .refused: break
      case .read(let main): unit = main
      }
    }
    for path in dropIns {
      if case .read(let dropIn) = read(path, &findings) { unit.append(dropIn) }
    }
    result.settings = LifecycledSettings(reading: unit, findings: &findings)
    result.findings.append(contentsOf: findings.inOrder(of: (path.map { [$0] } ?? []) + dropIns))
    return [name]
  }

  /// A hook or program, also one with faults; nil if it is masked.
  private func loadUnit(_ name: String, _ catalogue: FolderCatalogue, _ result: inout Configuration)
    -> (ConfiguredUnit, [UnitOrder.Wish])?
  {
    guard let path = catalogue.units[name] else { return nil }
    var findings = Findings()
    let main = read(path, &findings)
    if case .masked = main { return nil }
    var files = [path]
    var unit = UnitFile()
    if case .read(let own) = main { unit = own }
    let dropIns = Self.paths(of: catalogue.dropIns[name])
    for dropInPath in dropIns {
      if case .read(let dropIn) = read(dropInPath, &findings) {
        unit.append(dropIn)
        files.append(dropInPath)
      }
    }
    let (configured, after, own) = interpret(unit, name, files)
    if case .refused = main {
      // What a file lacks that was not read is not known.
      findings.append(contentsOf: own.all.filter { $0.file != path })
    } else {
      findings.append(contentsOf: own.all)
    }
    result.findings.append(contentsOf: findings.inOrder(of: [path] + dropIns))
    return (configured, after)
  }

  /// - Parameter files: the unit's own first.
  private func interpret(_ unit: UnitFile, _ name: String, _ files: [String])
    -> (ConfiguredUnit, [UnitOrder.Wish], Findings)
  {
    let specifiers = Specifiers(name: name, runtimeDirectory: runtimeDirectory)
    if name.hasSuffix(".process") {
      let (program, after, findings) = ProcessReader.read(unit, file: files[0], specifiers: specifiers)
      return (.program(ProgramUnit(definition: program, files: files)), after, findings)
    }
    let (hook, after, findings) = HookReader.read(unit, file: files[0], specifiers: specifiers)
    return (.hook(HookUnit(definition: hook, files: files)), after, findings)
  }

  private static func paths(of dropIns: [String: String]?) -> [String] {
    (dropIns ?? [:]).sorted { FolderCatalogue.precedes($0.key, $1.key) }.map(\.value)
  }
}

extension ConfigurationLoader {
  private enum Outcome {
    case masked
    /// Not read; the reason is among the findings.
    case refused
    /// Read as far as it could be; its faults are among the findings.
    case read(UnitFile)
  }

  private func read(_ path: String, _ findings: inout Findings) -> Outcome {
    let content: FileContent
    do {
      content = try source.read(path, limit: limits.fileSize)
    } catch {
      findings.fault(
        in: path, error.what, advice: error == .tooLarge ? "at most \(limits.fileSize) bytes are read" : nil)
      return .refused
    }
    // The null device can be written by everybody, and is trusted.
    if content.bytes == nil { return .masked }
    if requiresRootOwnership {
      if let refusal = OwnershipRule.refusal(of: path, content.ownership) {
        findings.fault(in: path, "refused: this file \(refusal.what)", advice: refusal.advice)
        return .refused
      }
      if let refusal = OwnershipRule.refusal(of: content.folder, content.folderOwnership) {
        findings.fault(in: path, "refused: its folder \(content.folder) \(refusal.what)", advice: refusal.advice)
        return .refused
      }
    }
    guard let bytes = content.bytes, !content.isMask else { return .masked }
    let (unit, faults) = UnitReader.read(bytes, file: path)
    findings.append(contentsOf: faults)
    return .read(unit)
  }
}
