/// A configuration that is validated in `prepareReload`, swapped in `reload`, and read by everybody without waiting.
import Foundation
import Mediator
import Synchronization

struct Limits: Codable, Hashable, Sendable {
  var connections: Int
  var bytesPerRequest: Int
}

final class LimitsProvider: ReloadListener {
  private struct Held {
    var current: Limits
    var previous: Limits
  }
  private let file: URL
  private let held: Mutex<Held>

  /// For whoever serves a request: one value for all of it.
  var current: Limits { held.withLock { $0.current } }

  init(file: URL) throws {
    self.file = file
    let limits = try Self.read(file)
    held = Mutex(Held(current: limits, previous: limits))
  }

  func prepareReload(_ transition: LifecycleTransition) throws -> Limits { try Self.read(file) }

  func reload(_ prepared: Limits, _ transition: LifecycleTransition) {
    held.withLock { $0 = Held(current: prepared, previous: $0.current) }
  }

  func revertReload(_ transition: LifecycleTransition) { held.withLock { $0.current = $0.previous } }

  private static func read(_ file: URL) throws -> Limits {
    let limits = try JSONDecoder().decode(Limits.self, from: Data(contentsOf: file))
    guard limits.connections > 0, limits.bytesPerRequest > 0 else {
      throw LifecycleError(.listenerFailed, message: "\(file.path): limits must be positive")
    }
    return limits
  }
}
