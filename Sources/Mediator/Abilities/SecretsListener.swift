/// A listener that uses credentials (`$CREDENTIALS_DIRECTORY` in systemd.exec(5)).
public protocol SecretsListener: LifecycleListener {
  /// Credentials can be read, or were renewed.
  func secretsDidBecomeAvailable(_ transition: LifecycleTransition) async throws
  /// Credentials are about to go away: forget what was read.
  func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) async throws
}
