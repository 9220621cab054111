internal import Mediator
internal import MediatorLinux

/// The process's one bridge: signals and the manager belong to the whole process.
enum BridgeClaim {
  private struct State {
    var count: UInt64 = 0
    /// Whose it is.
    var holder: UInt64?
  }

  private static let state = Locked(State())
  private static let hasTakenPassed = Locked(false)

  /// Returns what releases it.
  static func take() throws(LifecycleError) -> UInt64 {
    let number: UInt64? = state.withLock { state in
      if state.holder != nil { return nil }
      state.count += 1
      state.holder = state.count
      return state.count
    }
    if let number { return number }
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

  /// Does nothing when somebody else has it by now.
  static func release(_ number: UInt64) { state.withLock { if $0.holder == number { $0.holder = nil } } }
}
