/// All processes that /proc shows, at about one moment.
internal import Glibc

package struct ProcessTable: Sendable {
  package private(set) var entries: [Int32: ProcessEntry] = [:]

  package init(_ entries: some Sequence<ProcessEntry> = EmptyCollection()) {
    for entry in entries { self.entries[entry.pid] = entry }
  }

  /// - Parameter known: what need not be read again: a process that multiplies is overtaken only by a look that costs
  ///   less than all of it.
  package static func now(besides known: ProcessTable = ProcessTable()) -> ProcessTable {
    var table = ProcessTable(Folder.numbers("/proc").lazy.compactMap { known.entries[$0] ?? ProcessEntry(pid: $0) })
    for _ in 0..<mostRepairs { if table.repair() { break } }
    return table
  }

  private static let mostRepairs = 4

  /// Whose parent ended after it was read has another one by now, and would be nobody's descendant. Returns whether
  /// every parent is there.
  private mutating func repair() -> Bool {
    // Parent 0 is the kernel's, or outside of the namespace.
    let strays = entries.values.filter { $0.parent != 0 && entries[$0.parent] == nil }
    for stray in strays {
      entries[stray.parent] = ProcessEntry(pid: stray.parent)
      if entries[stray.parent] == nil { entries[stray.pid] = ProcessEntry(pid: stray.pid) }
    }
    return strays.isEmpty
  }

  /// Everything that descends from a process, each after its parent; without the process itself.
  ///
  /// - Parameter isLeftOut: of its children; nothing below them is told either.
  package func below(_ pid: Int32, leavingOut isLeftOut: (Int32) -> Bool = { _ in false }) -> [ProcessEntry] {
    var children = Dictionary(grouping: entries.values, by: \.parent)
    children[pid]?.removeAll { isLeftOut($0.pid) }
    var found: [ProcessEntry] = []
    var next = 0
    var parent = pid
    while true {
      found += (children[parent] ?? []).filter { $0.pid != pid }
      guard next < found.count else { return found }
      (parent, next) = (found[next].pid, next + 1)
    }
  }
}
