/// The abilities of a listener's type: asked for once per type, since a cast costs too much to be repeated.
struct AbilitySet: OptionSet, Hashable, Sendable {
  var rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  init(_ capability: LifecycleCapability) {
    let bit = LifecycleCapability.allCases.firstIndex(of: capability) ?? 0
    rawValue = 1 << UInt16(bit)
  }

  static let reload = AbilitySet(.reload)
  static let running = AbilitySet(.running)
  static let synchronous = AbilitySet(.synchronous)
  static let memoryPressure = AbilitySet(.memoryPressure)
  static let timeChange = AbilitySet(.timeChange)
  static let signals = AbilitySet(.signals)
  static let requests = AbilitySet(.requests)
  static let stateRestoring = AbilitySet(.stateRestoring)
  static let health = AbilitySet(.health)
  static let termination = AbilitySet(.termination)
  static let status = AbilitySet(.status)
  static let scenes = AbilitySet(.scenes)
  static let secrets = AbilitySet(.secrets)
  /// Answers a `LifecycleQuery`; no ability that a user's type could have.
  static let answers = AbilitySet(rawValue: 1 << 15)

  var capabilities: Set<LifecycleCapability> {
    Set(LifecycleCapability.allCases.filter { contains(AbilitySet($0)) })
  }

  /// What a listener must be to be told of an event; empty for what everybody is told.
  static func needed(for event: LifecycleEvent) -> AbilitySet {
    switch event {
    case .willFinishLaunching, .didFinishLaunching, .willEnterForeground, .didBecomeActive, .willResignActive,
      .didEnterBackground, .willTerminate:
      []
    case .prepareReload, .reload, .revertReload: .reload
    case .restoreState, .encodeState: .stateRestoring
    case .shouldTerminate: .termination
    case .didReceiveSignal: .signals
    case .didReceiveMemoryWarning: .memoryPressure
    case .significantTimeChange: .timeChange
    case .secretsDidBecomeAvailable, .secretsWillBecomeUnavailable: .secrets
    case .didReceiveRequest: .requests
    case .sceneWillConnect, .sceneWillEnterForeground, .sceneDidBecomeActive, .sceneWillResignActive,
      .sceneDidEnterBackground, .sceneDidDisconnect, .sceneDidDiscard:
      .scenes
    }
  }

  // MARK: Of a type

  private static let known = Locked<[ObjectIdentifier: AbilitySet]>([:])

  static func of(_ listener: any LifecycleListener) -> AbilitySet {
    let type = ObjectIdentifier(type(of: listener))
    if let known = known.withLock({ $0[type] }) { return known }
    let abilities = ask(listener)
    known.withLock { $0[type] = abilities }
    return abilities
  }

  private static func ask(_ listener: any LifecycleListener) -> AbilitySet {
    var abilities: AbilitySet = []
    if listener is any ReloadListener { abilities.insert(.reload) }
    if listener is any RunningListener { abilities.insert(.running) }
    if listener is any SynchronousListener { abilities.insert(.synchronous) }
    if listener is any MemoryPressureListener { abilities.insert(.memoryPressure) }
    if listener is any TimeChangeListener { abilities.insert(.timeChange) }
    if listener is any SignalListener { abilities.insert(.signals) }
    if listener is any RequestListener { abilities.insert(.requests) }
    if listener is any StateRestoring { abilities.insert(.stateRestoring) }
    if listener is any HealthChecking { abilities.insert(.health) }
    if listener is any TerminationDeciding { abilities.insert(.termination) }
    if listener is any StatusReporting { abilities.insert(.status) }
    if listener is any SceneListener { abilities.insert(.scenes) }
    if listener is any SecretsListener { abilities.insert(.secrets) }
    if listener is QueryAnswerer { abilities.insert(.answers) }
    return abilities
  }
}
