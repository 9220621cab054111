/// A listener with its policy: required or optional.
public struct ListenerEntry: Sendable {
  package let listener: any LifecycleListener
  package private(set) var isRequired = true
  /// How long each call may take.
  package private(set) var timeout: Duration?
  // Abilities are asked for once, here: a cast costs too much to be repeated in each post.
  let reloading: ErasedReload?
  let signalling: (any SignalListener)?

  public init(_ listener: any LifecycleListener) {
    self.listener = listener
    reloading = (listener as? any ReloadListener).map { ErasedReload($0) }
    signalling = listener as? any SignalListener
  }

  public var name: String { listener.name }

  /// The signals that the listener names; empty if it is no `SignalListener`.
  package var signals: Set<SignalNumber> { signalling?.signals ?? [] }

  /// Its failure at start fails the start; elsewhere it makes the exit status 70. This is the default.
  ///
  /// - Parameter timeout: how long each of its calls may take, beside the limits of `LifecycleTimeouts`. A call that
  ///   takes longer is cancelled and has failed; if it does not return then, it is left behind.
  public func required(timeout: Duration? = nil) -> ListenerEntry { with(isRequired: true, timeout) }

  /// Its failure makes the service degraded and stops nothing.
  ///
  /// - Parameter timeout: as for `required`.
  public func optional(timeout: Duration? = nil) -> ListenerEntry { with(isRequired: false, timeout) }

  private func with(isRequired: Bool, _ timeout: Duration?) -> ListenerEntry {
    var entry = self
    entry.isRequired = isRequired
    entry.timeout = timeout
    return entry
  }
}

extension LifecycleListener {
  /// An entry whose failure at start fails the start; elsewhere it makes the exit status 70. This is the default.
  ///
  /// - Parameter timeout: how long each of its calls may take; see `ListenerEntry.required(timeout:)`.
  public func required(timeout: Duration? = nil) -> ListenerEntry { ListenerEntry(self).required(timeout: timeout) }

  /// An entry whose failure makes the service degraded and stops nothing.
  ///
  /// - Parameter timeout: how long each of its calls may take; see `ListenerEntry.required(timeout:)`.
  public func optional(timeout: Duration? = nil) -> ListenerEntry { ListenerEntry(self).optional(timeout: timeout) }
}
