/// Clients that come and go on threads of their own until they are told to end.
import Foundation
import Synchronization

final class EchoLoad: Sendable {
  struct Count: Sendable {
    var served = 0
    var faults: [String] = []
    var running = 0
    var isEnding = false
  }

  private let count = Mutex(Count())

  /// - Parameters:
  ///   - threads: how many clients there are at any moment.
  ///   - once: each client does it once.
  ///   - visit: what a client does, again and again; what it throws is a fault.
  init(threads: Int, once: Bool = false, visit: @escaping @Sendable () throws -> Void) {
    count.withLock { $0.running = threads }
    for _ in 0..<threads {
      Thread.detachNewThread { [self] in
        repeat { run(visit) } while !once && !count.withLock(\.isEnding)
        count.withLock { $0.running -= 1 }
      }
    }
  }

  private func run(_ visit: () throws -> Void) {
    do {
      try visit()
      count.withLock { $0.served += 1 }
    } catch {
      count.withLock { count in
        count.faults.append("\(error)")
        count.isEnding = true
      }
    }
  }

  var served: Int { count.withLock(\.served) }

  /// Lets every client finish what it does, and says how it went.
  func end() -> Count {
    count.withLock { $0.isEnding = true }
    _ = ExampleProcess.eventually { self.count.withLock { $0.running == 0 } }
    return count.withLock { $0 }
  }
}
