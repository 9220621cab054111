internal import Synchronization

/// One listener of a mediator, with how far it has come.
///
/// There may be very many: it holds what each of them needs, in 40 bytes; what few have is in the particulars.
final class Registration: Sendable {
  /// Not copyable, so that a listener is told without a reference of its own: to take and drop one costs a third of the call.
  enum Content: ~Copyable, Sendable {
    /// An object without abilities, under the name of its type.
    case plain(any LifecycleListener & AnyObject)
    case synchronous(any SynchronousListener & AnyObject)
    case able(AbleListener)
    case particular(Particulars)
  }

  let content: Content
  /// The number in the mediator's list, the flags and the phase, each in bits of its own.
  private let word: Atomic<UInt64>

  private static let phaseBits = UInt64(0xff)
  private static let removed = UInt64(1) << 8
  private static let required = UInt64(1) << 9
  private static let numberShift = UInt64(16)

  init(_ entry: ListenerEntry, entryNumber: UInt64?, group: GroupNode?) {
    content = Self.content(of: entry, entryNumber: entryNumber, group: group)
    let isRequired = entry.isRequired && (group?.chain.allSatisfy(\.isRequired) ?? true)
    word = Atomic(UInt64(ListenerPhase.registered.rawValue) | (isRequired ? Self.required : 0))
  }

  private static func content(of entry: ListenerEntry, entryNumber: UInt64?, group: GroupNode?) -> Content {
    let particulars = { Content.particular(Particulars($0, entry, entryNumber: entryNumber, group: group)) }
    let isPlain = group == nil && entryNumber == nil && entry.timeout == nil && !entry.isFallback
    switch entry.content {
    case .factory(let factory): return particulars(.made(factory, Shared(nil)))
    case .group: preconditionFailure("a group is registered by its members")
    case .listener(let listener):
      let abilities = AbilitySet.of(listener)
      guard abilities.isEmpty || abilities == .synchronous else {
        let able = AbleListener(listener, abilities, name: entry.name)
        return isPlain ? .able(able) : particulars(.able(able))
      }
      if isPlain, type(of: listener) is any AnyObject.Type, entry.name == usualName(of: listener) {
        if abilities.isEmpty, let object = listener as? any LifecycleListener & AnyObject { return .plain(object) }
        if let object = listener as? any SynchronousListener & AnyObject { return .synchronous(object) }
      }
      if abilities.isEmpty { return particulars(.plain(listener)) }
      return (listener as? any SynchronousListener).map { particulars(.synchronous($0)) }
        ?? particulars(.plain(listener))
    }
  }

  /// What a listener is called that does not say so itself.
  private static func usualName(of listener: any LifecycleListener) -> String {
    _typeName(type(of: listener), qualified: false)
  }

  // MARK: The listener

  var particulars: Particulars? {
    switch content {
    case .particular(let particulars): particulars
    default: nil
    }
  }

  /// nil while it has not been made.
  var listener: (any LifecycleListener)? {
    switch content {
    case .plain(let listener): listener
    case .synchronous(let listener): listener
    case .able(let able): able.listener
    case .particular(let particulars): particulars.listener
    }
  }

  var able: AbleListener? {
    switch content {
    case .able(let able): able
    case .particular(let particulars): particulars.able
    default: nil
    }
  }

  var abilities: AbilitySet {
    switch content {
    case .plain: []
    case .synchronous: .synchronous
    case .able(let able): able.abilities
    case .particular(let particulars): particulars.abilities
    }
  }

  var signals: Set<SignalNumber> { able?.signals ?? [] }

  /// Asked once: what is foreign must not be called on the loop, or under a lock.
  var name: String {
    switch content {
    case .plain(let listener): Self.usualName(of: listener)
    case .synchronous(let listener): Self.usualName(of: listener)
    case .able(let able): able.name
    case .particular(let particulars): particulars.name
    }
  }

  // MARK: Its place

  /// Its own, by which it can be removed; given by the list.
  var number: UInt64 {
    get { word.load(ordering: .acquiring) >> Self.numberShift }
    set { change { word in word = word & (1 << Self.numberShift - 1) | newValue << Self.numberShift } }
  }

  /// Of the outermost group that it is in, or its own.
  var entryNumber: UInt64 { particulars?.entryNumber ?? number }
  var group: GroupNode? { particulars?.group }
  /// Also of all groups that it is in.
  var isRequired: Bool { word.load(ordering: .relaxed) & Self.required != 0 }
  /// Apart from its groups.
  var isRequiredInGroup: Bool { particulars?.isRequiredInGroup ?? isRequired }
  var timeout: Duration? { particulars?.timeout }
  var isFallback: Bool { particulars?.isFallback ?? false }
  /// Whether its calls have a limit of their own or of a group.
  var isTimed: Bool { particulars?.isTimed ?? false }

  // MARK: How far it has come

  var isRemoved: Bool { word.load(ordering: .acquiring) & Self.removed != 0 }

  func markRemoved() { change { $0 |= Self.removed } }

  var currentPhase: ListenerPhase { Self.phase(word.load(ordering: .acquiring)) }

  private static func phase(_ word: UInt64) -> ListenerPhase {
    ListenerPhase(rawValue: UInt8(truncatingIfNeeded: word & phaseBits)) ?? .ended
  }

  /// Who has left is told nothing but its own stop; it then counts as told, but of somebody else's post.
  func mayBeTold(of event: LifecycleEvent, _ isForeign: Bool, _ isRetirement: Bool) -> Bool {
    let word = word.load(ordering: .acquiring)
    guard word & Self.removed == 0 || isRetirement, Self.phase(word) != .stuck else { return false }
    return isForeign || admit(event)
  }

  /// Whether the listener is to be told of the event by its lifecycle; it then counts as told.
  func admit(_ event: LifecycleEvent) -> Bool { takesPart(in: event) && changePhase { $0.admit(event) } }

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
    _ = changePhase { phase in
      guard phase != .stuck, phase != .ended else { return false }
      phase = .failed
      return true
    }
  }

  /// It was never made: there is nobody to tell.
  func markUnmade() { set(.ended) }

  /// Its call has not returned in its time: it is left behind.
  func markStuck() { set(.stuck) }

  var isStuck: Bool { currentPhase == .stuck }

  private func set(_ new: ListenerPhase) {
    _ = changePhase { phase in
      phase = new
      return true
    }
  }

  /// A listener that is left behind at the same moment stays so.
  private func changePhase(_ body: (inout ListenerPhase) -> Bool) -> Bool {
    changeIf { word in
      var phase = Self.phase(word)
      guard body(&phase) else { return false }
      word = word & ~Self.phaseBits | UInt64(phase.rawValue)
      return true
    }
  }

  private func changeIf(_ body: (inout UInt64) -> Bool) -> Bool {
    var expected = word.load(ordering: .acquiring)
    while true {
      var new = expected
      guard body(&new) else { return false }
      if new == expected { return true }
      let (exchanged, original) = word.compareExchange(
        expected: expected, desired: new, ordering: .acquiringAndReleasing)
      if exchanged { return true }
      expected = original
    }
  }

  private func change(_ body: (inout UInt64) -> Void) {
    _ = changeIf { word in
      body(&word)
      return true
    }
  }

  /// What a listener that leaves on its own is still to be told, in order.
  static let ownStop: [LifecycleEvent] = [.willResignActive, .didEnterBackground, .willTerminate]
}
