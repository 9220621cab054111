/// The measures that need no process of their own; each prints lines of JSON.
///
///     bench posts [N...]              one post to N listeners
///     bench memory N                  bytes for each of N listeners
///     bench changes N                 adding and removing N listeners
///     bench allocations               what is compared with thresholds.json
///     bench repeat KIND N POSTS       nothing but posts, for valgrind
import Foundation

@main struct Main {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let numbers = arguments.compactMap { Int($0) }
    switch (arguments.first, numbers.count) {
    case ("posts", _):
      for count in numbers.isEmpty ? [1, 10, 100, 1000, 10_000, 100_000] : numbers {
        Posts.measure(listeners: count, rounds: count > 10_000 ? 15 : 101)
      }
    case ("memory", 1): Membership.measureMemory(listeners: numbers[0])
    case ("changes", 1): await Membership.measureChanges(listeners: numbers[0])
    case ("allocations", _): await Allocations.tell()
    case ("repeat", 2) where arguments.count == 4:
      guard Posts.run(arguments[1], listeners: numbers[0], posts: numbers[1]) else { exit(69) }
    default:
      FileHandle.standardError.write(Data("bench: see the head of Sources/bench/Main.swift\n".utf8))
      exit(64)
    }
  }
}
