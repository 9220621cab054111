internal import Mediator

/// Runs a hook with `On=credentials`.
struct HookSecrets: HookNewsListener, SecretsListener {
  let news: HookNews

  func secretsDidBecomeAvailable(_ transition: LifecycleTransition) async throws {
    try await news.run(.credentials, transition, [:])
  }

  /// They end with the service: a hook keeps nothing that it could forget.
  func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) async throws {}
}
