extension Registration {
  /// What few listeners have: a name of their own, a group, a limit, a value instead of an object, or nobody as yet.
  final class Particulars: Sendable {
    enum Content: Sendable {
      case plain(any LifecycleListener)
      case synchronous(any SynchronousListener)
      case able(AbleListener)
      /// Made when launching begins.
      case made(ListenerFactory, Shared<AbleListener?>)
    }

    let content: Content
    let name: String
    /// Of the outermost group that it is in.
    let entryNumber: UInt64?
    let group: GroupNode?
    let isRequiredInGroup: Bool
    let timeout: Duration?
    let isFallback: Bool
    let isTimed: Bool

    init(_ content: Content, _ entry: ListenerEntry, entryNumber: UInt64?, group: GroupNode?) {
      self.content = content
      name = entry.name
      self.entryNumber = entryNumber
      self.group = group
      isRequiredInGroup = entry.isRequired
      timeout = entry.timeout
      isFallback = entry.isFallback || group?.chain.contains(where: \.isFallback) == true
      isTimed = entry.timeout != nil || group?.chain.contains { $0.timeout != nil } == true
    }

    var listener: (any LifecycleListener)? {
      switch content {
      case .plain(let listener): listener
      case .synchronous(let listener): listener
      case .able(let able): able.listener
      case .made(_, let made): made.withLock({ $0 })?.listener
      }
    }

    var able: AbleListener? {
      switch content {
      case .plain, .synchronous: nil
      case .able(let able): able
      case .made(_, let made): made.withLock({ $0 })
      }
    }

    var abilities: AbilitySet {
      switch content {
      case .plain: []
      case .synchronous: .synchronous
      case .able, .made: able?.abilities ?? []
      }
    }

    /// Whether it can be told without a suspension and without a clock.
    var isQuick: Bool { if case .synchronous = content { group == nil && !isTimed } else { false } }

    func handle(_ transition: LifecycleTransition) throws {
      if case .synchronous(let listener) = content { try listener.handle(transition) }
    }

    /// The listener, if it has no abilities, no limit and no group.
    var plain: (any LifecycleListener)? {
      if case .plain(let listener) = content, group == nil, !isTimed { listener } else { nil }
    }

    /// Makes the listener, once.
    func make(_ context: LifecycleContext) async throws -> AbleListener? {
      guard case .made(let factory, let made) = content, made.withLock({ $0 == nil }) else { return nil }
      let listener = try await factory.make(context)
      let able = AbleListener(listener, AbilitySet.of(listener), name: name)
      made.withLock { $0 = able }
      return able
    }
  }
}
