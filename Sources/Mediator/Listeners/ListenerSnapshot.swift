/// One listener of a mediator at a moment: how far it has come, and how long it took.
public struct ListenerSnapshot: Hashable, Sendable {
  /// How far a listener has come.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Its start has not begun.
    case waiting
    /// It has started, and is not in the foreground yet.
    case started
    /// It is in the foreground.
    case foreground
    /// It is in the background, or on its way there.
    case background
    /// Its start has failed: all it still hears is `willTerminate`.
    case failed
    /// It was told `willTerminate`.
    case ended
    /// It did not return in its time, was left behind and is never called again.
    case stuck
  }

  /// The listener's name, or that of its factory.
  public var name: String
  /// How far it has come.
  public var state: State
  /// Whether its failure is that of the whole; false also in an optional group.
  public var isRequired: Bool
  /// The groups that it is in, the outermost first.
  public var groups: [String]
  /// What its abilities let the lifecycle do.
  public var capabilities: Set<LifecycleCapability>
  /// How long it took when it was last told of each event; empty unless `measuresDurations` is on.
  public var lastDurations: [LifecycleEvent: Duration]

  init(_ registration: Registration, _ durations: [LifecycleEvent: Duration]) {
    name = registration.name
    state = State(registration.currentPhase)
    isRequired = registration.isRequired
    groups = registration.group?.chain.reversed().map(\.name) ?? []
    capabilities = registration.abilities.capabilities
    lastDurations = durations
  }
}

extension ListenerSnapshot.State {
  init(_ phase: ListenerPhase) {
    switch phase {
    case .registered, .announced: self = .waiting
    case .started: self = .started
    case .entering, .active: self = .foreground
    case .resigned, .background: self = .background
    case .failed: self = .failed
    case .ended: self = .ended
    case .stuck: self = .stuck
    }
  }
}

extension LifecycleMediator {
  /// All listeners in order, with their states.
  public var snapshot: [ListenerSnapshot] {
    let (all, durations) = state.withLock { ($0.list.all, $0.durations) }
    return all.map { ListenerSnapshot($0, durations[$0.number] ?? [:]) }
  }

  /// Whether it is measured how long each call takes, for `snapshot`.
  ///
  /// Off by default, since it costs two readings of the clock for each call. It needs a lifecycle that runs.
  public var measuresDurations: Bool {
    get { state.withLock({ $0.measuresDurations }) }
    set { state.withLock { $0.measuresDurations = newValue } }
  }
}
