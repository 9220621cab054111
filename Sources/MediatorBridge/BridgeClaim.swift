internal import Mediator

/// The process's one bridge: signals and the manager belong to the whole process.
enum BridgeClaim {
  private static let isTaken = Locked(false)

  static func take() throws(LifecycleError) {
    let wasTaken = isTaken.withLock { isTaken in
      defer { isTaken = true }
      return isTaken
    }
    guard wasTaken else { return }
    throw LifecycleError(
      .bridgeExists, message: "this process has a LifecycleBridge already",
      advice: "use that one's lifecycle, or release it first")
  }

  static func release() { isTaken.withLock { $0 = false } }
}
