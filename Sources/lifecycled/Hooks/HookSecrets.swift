internal import Mediator

/// Runs a hook with `On=credentials`.
final class HookSecrets: SecretsListener {
  let news: HookNews
  var name: String { news.name }

  init(_ news: HookNews) { self.news = news }

  func secretsDidBecomeAvailable(_ transition: LifecycleTransition) async throws {
    try await news.run(.credentials, transition, [:])
  }

  /// They end with the service: a hook keeps nothing that it could forget.
  func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) async throws {}
}
