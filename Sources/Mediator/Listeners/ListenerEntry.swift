/// A listener with its policy, what makes one, or a group of entries.
public struct ListenerEntry: Sendable {
  enum Content: Sendable {
    case listener(any LifecycleListener)
    case factory(ListenerFactory)
    case group([ListenerEntry], isConcurrent: Bool)
  }

  let content: Content
  private let label: String?
  package private(set) var isRequired = true
  /// How long each call, or each event of a group, may take.
  package private(set) var timeout: Duration?
  /// Asked only when nobody else was.
  private(set) var isFallback = false

  /// An entry for a listener, required and without a time limit of its own.
  public init(_ listener: any LifecycleListener) {
    content = .listener(listener)
    label = nil
  }

  init(_ name: String, _ content: Content) {
    self.content = content
    label = name
  }

  /// An entry whose listener is made when launching begins, once, in the order of the entries.
  ///
  /// An error in making a required one fails the start; without an optional one the service is degraded.
  ///
  /// - Parameters:
  ///   - name: how reports, STATUS and errors call it, whatever the listener's own name.
  ///   - make: gets what listeners share, to take from it what the new one depends on.
  public static func factory(
    _ name: String, _ make: @escaping @Sendable (LifecycleContext) async throws -> any LifecycleListener
  ) -> ListenerEntry {
    ListenerEntry(name, .factory(ListenerFactory(make: make)))
  }

  /// The listener's name, or that of the group or factory.
  public var name: String {
    if let label { return label }
    if case .listener(let listener) = content { return listener.name }
    return ""
  }

  /// The signals that its listeners name.
  package var signals: Set<SignalNumber> {
    switch content {
    case .listener(let listener):
      AbilitySet.of(listener).contains(.signals) ? (listener as? any SignalListener)?.signals ?? [] : []
    case .factory: []
    case .group(let entries, _): entries.reduce(into: []) { $0.formUnion($1.signals) }
    }
  }

  /// Its failure at start fails the start; elsewhere it makes the exit status 70.
  ///
  /// This is the default. In a group, it fails the group.
  ///
  /// - Parameter timeout: how long each of its calls may take, beside the limits of `LifecycleTimeouts`; of a group,
  ///   how long each event may take for all of it. A call that takes longer is cancelled and has failed; if it does
  ///   not return then, it is left behind.
  public func required(timeout: Duration? = nil) -> ListenerEntry { with(isRequired: true, timeout) }

  /// Its failure makes the service degraded and stops nothing.
  ///
  /// A group whose start fails is not brought up further; those of it that began hear nothing but `willTerminate`.
  ///
  /// - Parameter timeout: as for `required`.
  public func optional(timeout: Duration? = nil) -> ListenerEntry { with(isRequired: false, timeout) }

  /// Asked only for what nobody else takes: requests that all others declined, signals that no other listener names.
  public func fallback() -> ListenerEntry {
    var entry = self
    entry.isFallback = true
    return entry
  }

  private func with(isRequired: Bool, _ timeout: Duration?) -> ListenerEntry {
    var entry = self
    entry.isRequired = isRequired
    entry.timeout = timeout
    return entry
  }
}

/// Makes a listener when launching begins.
struct ListenerFactory: Sendable {
  var make: @Sendable (LifecycleContext) async throws -> any LifecycleListener
}

extension LifecycleListener {
  /// An entry whose failure at start fails the start; elsewhere it makes the exit status 70.
  ///
  /// This is the default.
  ///
  /// - Parameter timeout: how long each of its calls may take; see `ListenerEntry.required(timeout:)`.
  public func required(timeout: Duration? = nil) -> ListenerEntry { ListenerEntry(self).required(timeout: timeout) }

  /// An entry whose failure makes the service degraded and stops nothing.
  ///
  /// - Parameter timeout: how long each of its calls may take; see `ListenerEntry.required(timeout:)`.
  public func optional(timeout: Duration? = nil) -> ListenerEntry { ListenerEntry(self).optional(timeout: timeout) }

  /// An entry that is asked only for what nobody else takes; see `ListenerEntry.fallback()`.
  public func fallback() -> ListenerEntry { ListenerEntry(self).fallback() }
}
