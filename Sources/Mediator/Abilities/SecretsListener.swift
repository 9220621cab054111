/// A listener that uses credentials (`$CREDENTIALS_DIRECTORY` in systemd.exec(5)).
///
/// They can be read from the first event on. The bridge tells of them when the service serves for the first time, or
/// when such a listener comes later; then whenever one of their files is another, and when all are gone.
public protocol SecretsListener: LifecycleListener {
  /// Credentials can be read, or were renewed.
  func secretsDidBecomeAvailable(_ transition: LifecycleTransition) async throws
  /// Credentials are about to go away, or have gone: forget what was read.
  func secretsWillBecomeUnavailable(_ transition: LifecycleTransition) async throws
}
