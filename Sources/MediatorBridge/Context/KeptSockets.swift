internal import Mediator
internal import MediatorLinux

/// The sockets that the program keeps in the manager's store over a restart.
final class KeptSockets: Sendable {
  /// How the manager is told; the descriptors are closed when they were sent.
  typealias Tell = @Sendable (_ lines: [String], HeldDescriptors?) -> Void

  /// How many places of the store sockets may have; nil when the manager does not say.
  typealias Limit = @Sendable () -> Int?

  private struct State {
    /// What lies in the store.
    var stored: [String: HeldDescriptors.Identity] = [:]
    /// How many places each has there.
    var places: [String: Int]

    var count: Int { places.values.reduce(0, +) }
  }

  private struct Voice: Sendable {
    var tell: Tell
    var limit: Limit
  }

  static let key = ContextKey<KeptSockets?>("mediator.sockets.kept", default: nil)

  private let voice: Voice
  private let state: Locked<State>

  /// - Parameters:
  ///   - found: what an earlier run has kept.
  ///   - places: how many places of the store each of them has.
  init(found: [String: Int32], places: [String: Int], limit: @escaping Limit, _ tell: @escaping Tell) {
    voice = Voice(tell: tell, limit: limit)
    state = Locked(State(stored: found.compactMapValues { HeldDescriptors.Identity($0) }, places: places))
  }

  /// How many places of the store they have.
  var count: Int { state.withLock({ $0.count }) }

  /// - Parameter copy: a descriptor of the socket, to be given away.
  /// - Returns: false when the store, which would close it without a word, has no room for it.
  func keep(_ copy: HeldDescriptors, as name: String) -> Bool {
    guard let identity = copy.identities.first else { return false }
    let limit = voice.limit()
    let (isKept, isNew, hadPlace) = state.withLock { state in
      if state.stored[name] == identity { return (true, false, true) }
      let before = state.places[name] ?? 0
      if let limit, state.count - before + 1 > limit { return (false, false, before > 0) }
      state.stored[name] = identity
      state.places[name] = 1
      return (true, true, before > 0)
    }
    guard isNew else { return isKept }
    if hadPlace { voice.tell(Self.removal(of: name), nil) }
    voice.tell(["FDSTORE=1", "FDNAME=\(StoreName.socket(name).text)"], copy)
    return true
  }

  func forget(_ name: String) {
    let wasThere = state.withLock { state in
      state.stored[name] = nil
      return state.places.removeValue(forKey: name) != nil
    }
    guard wasThere else { return }
    voice.tell(Self.removal(of: name), nil)
  }

  /// The start has ended: what lies there under a name of theirs and is no such socket goes.
  func forgetOthers() {
    let others = state.withLock { state in state.places.keys.filter { state.stored[$0] == nil } }
    for name in others { forget(name) }
  }

  private static func removal(of name: String) -> [String] {
    ["FDSTOREREMOVE=1", "FDNAME=\(StoreName.socket(name).text)"]
  }
}
