internal import Mediator
internal import MediatorLinux

/// The sockets that the program keeps in the manager's store over a restart.
final class KeptSockets: Sendable {
  /// How the manager is told; the descriptors are closed when they were sent.
  typealias Tell = @Sendable (_ lines: [String], HeldDescriptors?) -> Void

  private struct State {
    /// What lies in the store.
    var stored: [String: HeldDescriptors.Identity] = [:]
  }

  private struct Voice: Sendable { var tell: Tell }

  static let key = ContextKey<KeptSockets?>("mediator.sockets.kept", default: nil)

  private let voice: Voice
  private let state: Locked<State>

  /// - Parameter found: what an earlier run has kept.
  init(found: [String: Int32], _ tell: @escaping Tell) {
    voice = Voice(tell: tell)
    state = Locked(State(stored: found.compactMapValues { HeldDescriptors.Identity($0) }))
  }

  /// - Parameter copy: a descriptor of the socket, to be given away.
  func keep(_ copy: HeldDescriptors, as name: String) {
    guard let identity = copy.identities.first else { return }
    let before = state.withLock { $0.stored.updateValue(identity, forKey: name) }
    if before == identity { return }
    if before != nil { voice.tell(Self.removal(of: name), nil) }
    voice.tell(["FDSTORE=1", "FDNAME=\(StoreName.socket(name).text)"], copy)
  }

  func forget(_ name: String) {
    guard state.withLock({ $0.stored.removeValue(forKey: name) }) != nil else { return }
    voice.tell(Self.removal(of: name), nil)
  }

  private static func removal(of name: String) -> [String] {
    ["FDSTOREREMOVE=1", "FDNAME=\(StoreName.socket(name).text)"]
  }
}
