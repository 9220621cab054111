/// Which file stands for which name once all folders are looked through: the upper folder masks the lower.
///
/// Each folder is listed once. Hidden files and names with other suffixes are none of ours.
struct FolderCatalogue {
  /// By file name, `10-db.hook` or `lifecycled.conf`: the path to read.
  private(set) var units: [String: String] = [:]
  /// By the name of the file they add to, then by their own name: the path to read.
  private(set) var dropIns: [String: [String: String]] = [:]
  private(set) var findings = Findings()
  /// `--config` names a folder that is missing or cannot be read.
  private(set) var lacksFolder = false

  static let settingsName = "lifecycled.conf"

  private let source: any ConfigurationSource
  private let requiresRootOwnership: Bool
  private let limits: ConfigurationLimits
  private var count = 0

  init(
    _ folders: ConfigurationFolders, source: any ConfigurationSource, requiresRootOwnership: Bool,
    limits: ConfigurationLimits
  ) {
    self.source = source
    self.requiresRootOwnership = requiresRootOwnership
    self.limits = limits
    for folder in folders.paths { take(folder, mayBeMissing: folders.mayBeMissing) }
    if count > limits.fileCount {
      findings.fault(
        in: folders.paths.joined(separator: ", "), "there are more than \(limits.fileCount) configuration files",
        advice: "is this the right folder?")
    }
  }

  private mutating func take(_ folder: String, mayBeMissing: Bool) {
    let listing: FolderListing
    do {
      listing = try source.list(folder)
    } catch {
      if error == .missing, mayBeMissing { return }
      if !mayBeMissing { lacksFolder = true }
      findings.fault(in: folder, error == .missing ? "this folder does not exist" : error.what)
      return
    }
    for name in names(in: folder, listing) {
      let path = Self.join(folder, name)
      if Self.isUnit(name) {
        guard countOne() else { return }
        if units[name] == nil { units[name] = path }
      } else if name.hasSuffix(".d"), Self.isUnit(String(name.dropLast(2))) {
        takeDropIns(path, of: String(name.dropLast(2)))
      }
    }
  }

  private mutating func takeDropIns(_ folder: String, of unit: String) {
    let listing: FolderListing
    do {
      listing = try source.list(folder)
    } catch {
      findings.fault(in: folder, error == .missing ? SourceProblem.brokenLink.what : error.what)
      return
    }
    for name in names(in: folder, listing) where name.hasSuffix(".conf") {
      guard countOne() else { return }
      if dropIns[unit]?[name] == nil { dropIns[unit, default: [:]][name] = Self.join(folder, name) }
    }
  }

  /// The names that may be ours, in order; none if the folder is refused.
  private mutating func names(in folder: String, _ listing: FolderListing) -> [String] {
    if requiresRootOwnership, let refusal = OwnershipRule.refusal(of: folder, listing.ownership) {
      findings.fault(in: folder, "refused: this folder \(refusal.what)", advice: refusal.advice)
      return []
    }
    var names: [String] = []
    for bytes in listing.names where bytes.first != UInt8(ascii: ".") {
      if let name = String(validating: bytes, as: UTF8.self), Escaped.text(name) == name {
        names.append(name)
      } else if Self.looksLikeOurs(bytes) {
        findings.fault(
          in: Self.join(folder, Escaped.text(bytes)), "this name has control characters or is not valid UTF-8",
          advice: "rename the file")
      }
    }
    return names.sorted(by: Self.precedes)
  }

  private mutating func countOne() -> Bool {
    count += 1
    return count <= limits.fileCount
  }
}

extension FolderCatalogue {
  /// Byte by byte, as strcmp(3), so that the order is the same in every locale.
  static func precedes(_ left: String, _ right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }

  private static func isUnit(_ name: String) -> Bool {
    name == settingsName || name.hasSuffix(".hook") || name.hasSuffix(".process")
  }

  private static func looksLikeOurs(_ name: [UInt8]) -> Bool {
    [".hook", ".process", ".hook.d", ".process.d", ".conf"].contains {
      name.suffix($0.utf8.count).elementsEqual($0.utf8)
    }
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }
}
