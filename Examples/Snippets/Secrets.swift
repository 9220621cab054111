/// A listener for credentials that come, are renewed, and go.
import Mediator

actor APIKey: SecretsListener {
  private let read: @Sendable () throws -> String
  private(set) var current: String?

  /// - Parameter read: for instance a file of `$CREDENTIALS_DIRECTORY`.
  init(read: @escaping @Sendable () throws -> String) { self.read = read }

  func secretsDidBecomeAvailable(_ transition: LifecycleTransition) throws { current = try read() }
  func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) { current = nil }
}
