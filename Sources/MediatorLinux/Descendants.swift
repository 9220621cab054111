/// The living processes that came from one of ours.
internal import Glibc

package enum Descendants {
  /// All below a process, as far as the chain of parents is whole: who outlived its parent belongs to somebody else.
  package static func of(_ pid: Int32, in table: ProcessTable = .now()) -> [ProcessEntry] {
    table.below(pid).filter(\.isAlive)
  }

  /// All below this process that were started with `NAME=value` in their environment.
  ///
  /// A program that left its group and outlived its parent is found by it, if it became ours: of pid 1 or a subreaper.
  /// One that overwrote its environment, or belongs to a user whose processes we may not read, is not.
  package static func marked(_ mark: String, in table: ProcessTable = .now()) -> [ProcessEntry] {
    of(getpid(), in: table).filter { isMarked($0, mark) == true }
  }

  /// Children of this process that are no `Child`: what became ours because its parent ended.
  ///
  /// None while a `Child` is being started: it could be any of them.
  package static func orphans(in table: ProcessTable = .now()) -> [ProcessEntry] {
    let ours = getpid()
    return table.entries.values.filter { $0.parent == ours && $0.isAlive && isOrphan($0) }
  }

  /// Whether `orphans` may find anybody. It reads only what nobody here has started.
  ///
  /// Who ends while it is looked at may have left something that is ours by now: another look shows that.
  static func mayHaveOrphans() -> Bool {
    let ours = getpid()
    for _ in 0..<mostLooks {
      var isWhole = true
      for pid in Folder.numbers("/proc") where pid != ours && !KnownChildren.shared.isKnown(pid) {
        guard let entry = ProcessEntry(pid: pid) else {
          isWhole = false
          continue
        }
        if entry.parent == ours { return true }
      }
      if isWhole { return false }
    }
    return true
  }

  private static let mostLooks = 8

  /// The same at once, from the lists of the kernel; nil where it keeps none. Call it on the loop that reaps.
  static func listMayHaveOrphans() -> Bool? {
    OwnChildren.numbers().map { !KnownChildren.shared.areKnown($0) }
  }

  static func isOrphan(_ entry: ProcessEntry) -> Bool { !KnownChildren.shared.mayKnow(entry.pid) }

  /// The longest environment that is read: mostly it is far shorter.
  private static let mostBytes = 1 << 21

  /// nil where it shows no environment at all: in the midst of execve(2) it has none yet.
  static func isMarked(_ entry: ProcessEntry, _ mark: String) -> Bool? {
    guard let environment = ProcessFile.read("environ", of: entry.pid, limit: mostBytes) else { return false }
    return environment.isEmpty && entry.isAlive ? nil : contains(environment, mark)
  }

  static func contains(_ environment: [UInt8], _ mark: String) -> Bool {
    let wanted = Array(mark.utf8)
    return environment.split(separator: 0).contains { $0.elementsEqual(wanted) }
  }
}
