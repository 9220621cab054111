/// A listener for credentials that come, are renewed, and go.
import Mediator
import MediatorBridge

actor APIKey: SecretsListener {
  /// `LoadCredential=api-key:/etc/bakery/api-key` in the unit.
  private static let key = Credential.text("api-key")
  private(set) var current: String?

  /// Without it there is nothing to start for: the error names it, and the credentials that there are.
  func didFinishLaunching(_ transition: LifecycleTransition) throws { try read(transition) }

  func secretsDidBecomeAvailable(_ transition: LifecycleTransition) throws { try read(transition) }
  func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) { current = nil }

  private func read(_ transition: LifecycleTransition) throws { current = try transition.context.read(Self.key) }
}
