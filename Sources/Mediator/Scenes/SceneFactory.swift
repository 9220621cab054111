extension ListenerEntry {
  /// An entry that makes a listener for each scene of a kind when it connects, and forgets it when it has gone.
  ///
  /// - Parameters:
  ///   - kind: which scenes; each kind may have several entries.
  ///   - make: gets the scene; a throw refuses it, if the entry is required.
  public static func scenes(
    _ kind: String, _ make: @escaping @Sendable (LifecycleScene) async throws -> any SceneListener
  ) -> ListenerEntry {
    ListenerEntry(SceneFactory(kind: kind, make: make))
  }
}

/// Hands each scene's events to the listener that was made for it.
private final class SceneFactory: SceneListener {
  let name: String
  let kinds: Set<String>
  private let make: @Sendable (LifecycleScene) async throws -> any SceneListener

  init(kind: String, make: @escaping @Sendable (LifecycleScene) async throws -> any SceneListener) {
    name = "scenes of kind \(kind)"
    kinds = [kind]
    self.make = make
  }

  func scene(_ scene: LifecycleScene, _ event: LifecycleScene.Event, _ transition: LifecycleTransition) async throws {
    // With the scene, which lets go of it when it has gone.
    if event == .willConnect {
      let listener = try await make(scene)
      scene.own.withLock { $0[ObjectIdentifier(self)] = listener }
    }
    let listener = scene.own.withLock { $0[ObjectIdentifier(self)] }
    try await listener?.scene(scene, event, transition)
  }
}
