/// Folders in memory that stand in for the file system, and count what is read.
import Synchronization

@testable import lifecycled

final class MemoryFolders: ConfigurationSource {
  struct Node: Sendable {
    var bytes: [UInt8]? = []
    var problem: SourceProblem?
    var ownership = FileOwnership(user: 0, mode: 0o644)
    /// Where it really lies, when it is a link.
    var folder: String?
  }

  private let nodes: [String: Node]
  private let folders: [String: FileOwnership]
  private let folderProblems: [String: SourceProblem]
  private let extraNames: [String: [[UInt8]]]
  private let accesses = Mutex<[String: Int]>([:])

  /// How often each path was listed or read.
  var counts: [String: Int] { accesses.withLock { $0 } }

  init(
    _ files: [String: String], nodes: [String: Node] = [:], folders: [String: FileOwnership] = [:],
    folderProblems: [String: SourceProblem] = [:], extraNames: [String: [[UInt8]]] = [:]
  ) {
    var all = nodes
    for (path, text) in files { all[path] = Node(bytes: Array(text.utf8)) }
    var known = folders
    for path in all.keys {
      var folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
      while !folder.isEmpty {
        if known[String(folder)] == nil { known[String(folder)] = FileOwnership(user: 0, mode: 0o755) }
        folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
      }
    }
    self.nodes = all
    self.folders = known
    self.folderProblems = folderProblems
    self.extraNames = extraNames
  }

  func list(_ folder: String) throws(SourceProblem) -> FolderListing {
    accesses.withLock { $0[folder, default: 0] += 1 }
    if let problem = folderProblems[folder] { throw problem }
    guard let ownership = folders[folder] else { throw nodes[folder] == nil ? .missing : .notAFolder }
    let prefix = folder + "/"
    let children = (Array(nodes.keys) + Array(folders.keys) + Array(folderProblems.keys))
      .filter { $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains("/") }
      .map { Array($0.dropFirst(prefix.count).utf8) }
    return FolderListing(names: Array(Set(children)) + (extraNames[folder] ?? []), ownership: ownership)
  }

  func read(_ path: String, limit: Int) throws(SourceProblem) -> FileContent {
    accesses.withLock { $0[path, default: 0] += 1 }
    if folders[path] != nil { throw .isAFolder }
    guard let node = nodes[path] else { throw .missing }
    if let problem = node.problem { throw problem }
    if let bytes = node.bytes, bytes.count > limit { throw .tooLarge }
    let folder = node.folder ?? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    return FileContent(
      bytes: node.bytes, ownership: node.ownership, folder: folder,
      folderOwnership: folders[folder] ?? FileOwnership(user: 0, mode: 0o755))
  }

  func load(
    _ folders: ConfigurationFolders = .standard, asRoot: Bool = true, limits: ConfigurationLimits = .init(),
    runtimeDirectory: String? = "/run"
  ) -> Configuration {
    ConfigurationLoader(
      folders: folders, source: self, requiresRootOwnership: asRoot, runtimeDirectory: runtimeDirectory, limits: limits
    ).load()
  }
}
