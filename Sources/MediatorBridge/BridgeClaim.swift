internal import Mediator
internal import MediatorLinux

/// The process's one bridge: signals and the manager belong to the whole process.
enum BridgeClaim {
  private static let isTaken = Locked(false)
  private static let hasTakenPassed = Locked(false)

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

  /// What the manager passed to the process, for the first bridge that asks: from then on the numbers are that one's,
  /// and may be anybody's when it has closed them.
  static func takePassed() -> [(name: String, descriptor: Int32)] {
    let wasTaken = hasTakenPassed.withLock { hasTaken in
      defer { hasTaken = true }
      return hasTaken
    }
    return wasTaken ? [] : InheritedSockets.all()
  }

  static func release() { isTaken.withLock { $0 = false } }
}
