/// The abilities of a listener's type: asked for once per type, since a cast costs too much to be repeated.
package struct AbilitySet: OptionSet, Hashable, Sendable {
  package var rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  init(_ capability: LifecycleCapability) {
    let bit =
      switch capability {
      case .reload: 0
      case .running: 1
      case .synchronous: 2
      case .memoryPressure: 3
      case .timeChange: 4
      case .signals: 5
      case .requests: 6
      case .stateRestoring: 7
      case .health: 8
      case .termination: 9
      case .status: 10
      case .scenes: 11
      case .secrets: 12
      case .sleep: 13
      }
    rawValue = 1 << UInt16(bit)
  }

  package static var reload: AbilitySet { AbilitySet(.reload) }
  package static var running: AbilitySet { AbilitySet(.running) }
  package static var synchronous: AbilitySet { AbilitySet(.synchronous) }
  package static var memoryPressure: AbilitySet { AbilitySet(.memoryPressure) }
  package static var timeChange: AbilitySet { AbilitySet(.timeChange) }
  package static var signals: AbilitySet { AbilitySet(.signals) }
  package static var requests: AbilitySet { AbilitySet(.requests) }
  package static var stateRestoring: AbilitySet { AbilitySet(.stateRestoring) }
  package static var health: AbilitySet { AbilitySet(.health) }
  package static var termination: AbilitySet { AbilitySet(.termination) }
  package static var status: AbilitySet { AbilitySet(.status) }
  package static var scenes: AbilitySet { AbilitySet(.scenes) }
  package static var secrets: AbilitySet { AbilitySet(.secrets) }
  package static var sleep: AbilitySet { AbilitySet(.sleep) }
  /// Answers a `LifecycleQuery`; no ability that a user's type could have.
  static var answers: AbilitySet { AbilitySet(rawValue: 1 << 15) }

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
  private static let reloading = Locked<[ObjectIdentifier: Reloading]>([:])

  /// What it is as one that takes part in reloads, without a look for that.
  private struct Reloading: Sendable { var cast: @Sendable (any LifecycleListener) -> (any ReloadListener)? }

  /// Of a type that says its abilities: the first question of a process whether a type is this or that costs a look at
  /// all conformances of the program, some 50 µs.
  package static func declare<Listener: AbilityDeclaring>(_ type: Listener.Type) {
    known.withLock { $0[ObjectIdentifier(type)] = type.abilities }
  }

  package static func declare<Listener: AbilityDeclaring & ReloadListener>(reloading type: Listener.Type) {
    declare(type)
    reloading.withLock { $0[ObjectIdentifier(type)] = Reloading { $0 as? Listener } }
  }

  static func asReloading(_ listener: any LifecycleListener) -> (any ReloadListener)? {
    if let declared = reloading.withLock({ $0[ObjectIdentifier(type(of: listener))] }) {
      return declared.cast(listener)
    }
    return listener as? any ReloadListener
  }

  static func of(_ listener: any LifecycleListener) -> AbilitySet {
    let type = type(of: listener)
    let key = ObjectIdentifier(type)
    if let known = known.withLock({ $0[key] }) { return known }
    let abilities = asked(of: type)
    known.withLock { $0[key] = abilities }
    return abilities
  }

  /// Generic, since a cast of an `any` type looks for conformances of that, too.
  package static func asked<Listener: LifecycleListener>(of type: Listener.Type) -> AbilitySet {
    var abilities: AbilitySet = []
    if type is any ReloadListener.Type { abilities.insert(.reload) }
    if type is any RunningListener.Type { abilities.insert(.running) }
    if type is any SynchronousListener.Type { abilities.insert(.synchronous) }
    if type is any MemoryPressureListener.Type { abilities.insert(.memoryPressure) }
    if type is any TimeChangeListener.Type { abilities.insert(.timeChange) }
    if type is any SignalListener.Type { abilities.insert(.signals) }
    if type is any RequestListener.Type { abilities.insert(.requests) }
    if type is any StateRestoring.Type { abilities.insert(.stateRestoring) }
    if type is any HealthChecking.Type { abilities.insert(.health) }
    if type is any TerminationDeciding.Type { abilities.insert(.termination) }
    if type is any StatusReporting.Type { abilities.insert(.status) }
    if type is any SceneListener.Type { abilities.insert(.scenes) }
    if type is any SecretsListener.Type { abilities.insert(.secrets) }
    if type is any SleepListener.Type { abilities.insert(.sleep) }
    if type == QueryAnswerer.self { abilities.insert(.answers) }
    return abilities
  }
}

/// Says what its abilities are, for `AbilitySet.declare(_:)`: a listener of a program that is to be ready soon.
package protocol AbilityDeclaring: LifecycleListener {
  static var abilities: AbilitySet { get }
}
