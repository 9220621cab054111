internal import Synchronization

/// One listener of a mediator, with how far it has come.
final class Registration: Sendable {
  /// A plain listener needs no more than itself; one with abilities has room for what is remembered of them.
  enum Content: Sendable {
    case plain(any LifecycleListener)
    case synchronous(any SynchronousListener)
    case able(AbleListener)
    /// Made when launching begins.
    case made(ListenerFactory, Locked<AbleListener?>)
  }

  let token: LifecycleMediator.Token
  /// Of the outermost group that it is in, or its own.
  let entryToken: LifecycleMediator.Token
  let content: Content
  let group: GroupNode?
  /// Asked once: what is foreign must not be called on the loop, or under a lock.
  let name: String
  /// Also of all groups that it is in.
  let isRequired: Bool
  /// Apart from its groups.
  let isRequiredInGroup: Bool
  let timeout: Duration?
  let isFallback: Bool
  /// Whether its calls have a limit of their own or of a group.
  let isTimed: Bool
  private let phase = Atomic<UInt8>(ListenerPhase.registered.rawValue)
  private let removed = Atomic<Bool>(false)

  init(
    token: LifecycleMediator.Token, entryToken: LifecycleMediator.Token, entry: ListenerEntry, group: GroupNode?
  ) {
    self.token = token
    self.entryToken = entryToken
    self.group = group
    isRequiredInGroup = entry.isRequired
    isRequired = entry.isRequired && (group?.chain.allSatisfy(\.isRequired) ?? true)
    timeout = entry.timeout
    name = entry.name
    isFallback = entry.isFallback || group?.chain.contains(where: \.isFallback) == true
    isTimed = entry.timeout != nil || group?.chain.contains { $0.timeout != nil } == true
    switch entry.content {
    case .listener(let listener):
      content = Self.content(of: listener, name)
    case .factory(let factory):
      content = .made(factory, Locked(nil))
    case .group: preconditionFailure("a group is registered by its members")
    }
  }

  private static func content(of listener: any LifecycleListener, _ name: String) -> Content {
    let abilities = AbilitySet.of(listener)
    if abilities.isEmpty { return .plain(listener) }
    if abilities == .synchronous, let listener = listener as? any SynchronousListener { return .synchronous(listener) }
    return .able(AbleListener(listener, abilities, name: name))
  }

  // MARK: The listener

  /// nil while it has not been made.
  var listener: (any LifecycleListener)? {
    switch content {
    case .plain(let listener): listener
    case .synchronous(let listener): listener
    case .able(let able): able.listener
    case .made(_, let made): made.withLock(\.self)?.listener
    }
  }

  var able: AbleListener? {
    switch content {
    case .plain, .synchronous: nil
    case .able(let able): able
    case .made(_, let made): made.withLock(\.self)
    }
  }

  var abilities: AbilitySet {
    switch content {
    case .plain: []
    case .synchronous: .synchronous
    case .able, .made: able?.abilities ?? []
    }
  }

  var signals: Set<SignalNumber> { able?.signals ?? [] }

  /// The listener, if it can be told without a suspension and without a clock.
  var quick: (any SynchronousListener)? {
    guard timeout == nil, group == nil, case .synchronous(let listener) = content else { return nil }
    return listener
  }

  /// Makes the listener, once.
  func make(_ context: LifecycleContext) async throws -> AbleListener? {
    guard case .made(let factory, let made) = content, made.withLock({ $0 == nil }) else { return nil }
    let listener = try await factory.make(context)
    let able = AbleListener(listener, AbilitySet.of(listener), name: name)
    made.withLock { $0 = able }
    return able
  }

  // MARK: How far it has come

  var isRemoved: Bool { removed.load(ordering: .acquiring) }

  func markRemoved() { removed.store(true, ordering: .releasing) }

  var currentPhase: ListenerPhase { ListenerPhase(rawValue: phase.load(ordering: .acquiring)) ?? .ended }

  /// Whether the listener is to be told of the event by its lifecycle; it then counts as told.
  func admit(_ event: LifecycleEvent) -> Bool { takesPart(in: event) && change { $0.admit(event) } }

  /// As `admit`, but the listener does not count as told.
  func wouldAdmit(_ event: LifecycleEvent) -> Bool {
    var phase = currentPhase
    return takesPart(in: event) && phase.admit(event)
  }

  private func takesPart(in event: LifecycleEvent) -> Bool {
    switch event {
    case .reload: able?.hasPrepared == true
    case .revertReload: able?.hasReloaded == true
    default: true
    }
  }

  /// Its start has failed: all it still hears is `willTerminate`.
  func markFailed() {
    _ = change { phase in
      guard phase != .stuck, phase != .ended else { return false }
      phase = .failed
      return true
    }
  }

  /// It was never made: there is nobody to tell.
  func markUnmade() { phase.store(ListenerPhase.ended.rawValue, ordering: .releasing) }

  /// Its call has not returned in its time: it is left behind.
  func markStuck() { phase.store(ListenerPhase.stuck.rawValue, ordering: .releasing) }

  var isStuck: Bool { phase.load(ordering: .acquiring) == ListenerPhase.stuck.rawValue }

  /// A listener that is left behind at the same moment stays so.
  private func change(_ body: (inout ListenerPhase) -> Bool) -> Bool {
    var expected = phase.load(ordering: .acquiring)
    while true {
      var new = ListenerPhase(rawValue: expected) ?? .ended
      guard body(&new) else { return false }
      if new.rawValue == expected { return true }
      let (exchanged, original) = phase.compareExchange(
        expected: expected, desired: new.rawValue, ordering: .acquiringAndReleasing)
      if exchanged { return true }
      expected = original
    }
  }

  /// What a listener that leaves on its own is still to be told, in order.
  static let ownStop: [LifecycleEvent] = [.willResignActive, .didEnterBackground, .willTerminate]
}
