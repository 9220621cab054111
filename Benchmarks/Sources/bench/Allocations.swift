/// The counts that do not depend on the machine, for `make bench-check`.
import Foundation

enum Allocations {
  static func tell() async {
    for kind in ["synchronous", "async", "actors"] {
      for count in [1, 1000] {
        guard let subject = Subject(kind, listeners: count) else { continue }
        for _ in 0..<20 { subject.post() }
        say(
          "allocations",
          ["kind": "\"\(kind)\"", "listeners": "\(count)", "allocations": Posts.allocations(subject.post).json])
      }
    }
    for count in [1000, 100_000] { await Membership.measureChanges(listeners: count) }
    Membership.measureMemory(listeners: 10_000)
  }
}
