internal import Foundation
package import Mediator

/// Where memory pressure is to be watched, in the order in which it is tried, and with what triggers: a pure value.
///
/// The service manager's word goes first (systemd's `MEMORY_PRESSURE` document), then the own control group, then the
/// whole machine. `/dev/null` turns it off.
package struct PressurePlan: Hashable, Sendable {
  /// What is written into the file that is watched.
  package struct Trigger: Hashable, Sendable {
    package var level: MemoryPressure.Level
    /// Empty for nothing.
    package var bytes: [UInt8]
  }

  package struct Source: Hashable, Sendable {
    package var path: String
    package var trigger: Trigger
    /// For a second descriptor of a regular file.
    package var critical: Trigger?
    /// Where the numbers are read: the first of these that can be.
    package var numbers: [String]
  }

  package private(set) var sources: [Source] = []
  /// What is wrong with the manager's word, which is then not taken.
  package private(set) var problem: String?

  /// Two seconds: the only window, in multiples, that the kernel grants without privileges. Warned of are 200 ms in it.
  package static let warning = Trigger(level: .some, bytes: Array("some 200000 2000000\0".utf8))
  package static let critical = Trigger(level: .full, bytes: Array("full 100000 2000000\0".utf8))
  private static let machine = "/proc/pressure/memory"

  /// - Parameters:
  ///   - watch: `$MEMORY_PRESSURE_WATCH`.
  ///   - write: `$MEMORY_PRESSURE_WRITE`, in base64.
  ///   - cgroup: the folder of the own control group, if there is one.
  package init(watch: String?, write: String?, cgroup: String?) {
    if watch == "/dev/null" { return }
    let usual = (cgroup.map { ["\($0)/memory.pressure"] } ?? []) + [Self.machine]
    if let watch { take(watch, write, usual) }
    for path in usual where !sources.contains(where: { $0.path == path }) {
      sources.append(Source(path: path, trigger: Self.warning, critical: Self.critical, numbers: [path]))
    }
  }

  private mutating func take(_ path: String, _ write: String?, _ usual: [String]) {
    guard path.hasPrefix("/") else {
      problem = "MEMORY_PRESSURE_WATCH is not an absolute path"
      return
    }
    guard let data = Data(base64Encoded: write ?? "") else {
      problem = "MEMORY_PRESSURE_WRITE is not base64"
      return
    }
    let level: MemoryPressure.Level = data.starts(with: "full".utf8) ? .full : .some
    let isOurs = !data.isEmpty && level == .some
    sources.append(
      Source(
        path: path, trigger: Trigger(level: level, bytes: Array(data)), critical: isOurs ? Self.critical : nil,
        numbers: [path] + usual.filter { $0 != path }))
  }

  /// The folder of the control group that a file of numbers belongs to; empty for the whole machine.
  package static func cgroup(of path: String) -> String {
    let name = "/memory.pressure"
    return path.hasSuffix(name) ? String(path.dropLast(name.count)) : ""
  }
}
