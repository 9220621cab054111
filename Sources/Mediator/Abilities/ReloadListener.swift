/// A listener that takes part in the two-phase reload.
public protocol ReloadListener: LifecycleListener {
  /// What `prepareReload` hands to `reload`: a configuration that was read and found good.
  associatedtype Prepared: Sendable

  /// Reads and validates in the foreground, and changes nothing.
  ///
  /// A throw of a required listener refuses the reload for everybody, an optional one is left out of this reload.
  func prepareReload(_ transition: LifecycleTransition) async throws -> Prepared
  /// Puts in force what was prepared; a throw of a required listener makes those before it revert.
  func reload(_ prepared: Prepared, _ transition: LifecycleTransition) async throws
  /// Goes back to what was in force before; called only after this listener's own `reload` returned.
  func revertReload(_ transition: LifecycleTransition) async throws
}

/// A `ReloadListener` whose `Prepared` is forgotten, so that entries of all kinds stand in one list.
struct ErasedReload: Sendable {
  let prepare: @Sendable (LifecycleTransition) async throws -> any Sendable
  let commit: @Sendable (any Sendable, LifecycleTransition) async throws -> Void
  let revert: @Sendable (LifecycleTransition) async throws -> Void

  init(_ listener: some ReloadListener) {
    prepare = { try await listener.prepareReload($0) }
    commit = { try await Self.commit(listener, $0, $1) }
    revert = { try await listener.revertReload($0) }
  }

  private static func commit<Listener: ReloadListener>(
    _ listener: Listener, _ prepared: any Sendable, _ transition: LifecycleTransition
  ) async throws {
    guard let prepared = prepared as? Listener.Prepared else { return }
    try await listener.reload(prepared, transition)
  }
}
