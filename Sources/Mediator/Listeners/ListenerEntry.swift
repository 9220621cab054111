/// A listener with its policy: required or optional.
public struct ListenerEntry: Sendable {
  package let listener: any LifecycleListener
  package private(set) var isRequired = true
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
  public func required() -> ListenerEntry {
    var entry = self
    entry.isRequired = true
    return entry
  }

  /// Its failure makes the service degraded and stops nothing.
  public func optional() -> ListenerEntry {
    var entry = self
    entry.isRequired = false
    return entry
  }
}

extension LifecycleListener {
  /// An entry whose failure at start fails the start; elsewhere it makes the exit status 70. This is the default.
  public func required() -> ListenerEntry { ListenerEntry(self).required() }

  /// An entry whose failure makes the service degraded and stops nothing.
  public func optional() -> ListenerEntry { ListenerEntry(self).optional() }
}
