internal import Foundation
internal import Glibc
internal import Mediator
internal import MediatorLinux

/// Performs the lifecycle's effects on Linux: its loop takes signals and talks to the manager, its delivery thread
/// runs every post and starts every listener.
final class BridgeCore: LifecyclePerformer {
  let lifecycle: Lifecycle
  let center: NotificationCenter?
  let mediator: LifecycleMediator
  let loop: EventLoop
  private let delivery: DeliveryExecutor
  private let voice: ManagerVoice
  private let signals: BridgeSignals?
  private let control = Shared<ControlPeers?>(nil)
  private let occurrences: OccurrenceSources
  private let keeper: StateKeeper
  private let claimNumber: UInt64
  private let hasBegun = Locked(false)
  private let isInOwnReload = Shared(false)
  private let timeouts: LifecycleTimeouts
  private let leaving: @Sendable () -> Void
  let watchdogInterval: Duration?
  let watchdogPolicy: WatchdogPolicy

  init(
    signals ownership: LifecycleBridge.SignalOwnership, overriding: [SignalNumber: SignalAction],
    timeouts: LifecycleTimeouts, center: NotificationCenter?, injector: LifecycleInjector? = .shared,
    watchdog: WatchdogPolicy = .silence, wire: ManagerVoice.Wire? = nil, keepsState: Bool = true,
    passed: [(name: String, descriptor: Int32)]? = nil, beside: (any TaskExecutor)? = nil,
    leaving: @escaping @Sendable () -> Void = {},
    listeners: () -> [ListenerEntry]
  ) throws(LifecycleError) {
    claimNumber = try BridgeClaim.take()
    self.timeouts = timeouts
    self.leaving = leaving
    watchdogPolicy = watchdog
    watchdogInterval = ManagerWatchdog.interval()
    do throws(LinuxError) {
      let environment = ManagerEnvironment.capture()
      let inheritance = Inheritance(environment, passed ?? BridgeClaim.takePassed(), keeps: keepsState)
      lifecycle = Lifecycle(context: LifecycleContext(start: inheritance.start), beside: beside)
      lifecycle.savedStates = inheritance.newest?.states ?? []
      for report in inheritance.reports { lifecycle.hub.send(report) }
      let entries = listeners()
      signals = try BridgeSignals(
        ownership, environment: environment, overriding: overriding,
        named: entries.reduce(into: []) { $0.formUnion($1.signals) })
      loop = try EventLoop(name: "lifecycle-loop")
      delivery = try DeliveryExecutor(name: "lifecycle-post")
      voice =
        wire.map { [loop, lifecycle] in ManagerVoice($0, loop: loop, lifecycle: lifecycle) }
        ?? ManagerVoice(environment: environment, loop: loop, lifecycle: lifecycle)
      keeper = Self.keeper(inheritance, environment, voice, loop, lifecycle, keepsSockets: keepsState)
      occurrences = OccurrenceSources([
        .memoryPressure: MemoryPressureSource(environment, lifecycle: lifecycle, loop: loop),
        .timeChange: TimeChangeSource(lifecycle: lifecycle, loop: loop),
        .secrets: SecretsSource(lifecycle: lifecycle, loop: loop),
        .sleep: SleepSource(lifecycle: lifecycle, loop: loop),
      ])
      self.center = center
      mediator = LifecycleMediator(
        center: center, object: lifecycle, executor: delivery, injector: injector, recorder: nil
      ) { entries }
      signals?.claim(mediator.signals, reportingTo: lifecycle.hub)
      // From here on, so that what comes before the run counts as coming before it.
      let stops = StopSignals(leaving: leaving)
      try signals?.start(on: loop) { [lifecycle] origin, action in Self.received(origin, action, lifecycle, stops) }
    } catch {
      BridgeClaim.release(claimNumber)
      throw LifecycleError(
        .system, message: error.description, advice: "the bridge cannot work without it", errno: error.code)
    }
  }

  deinit {
    letGo()
    loop.shutdown()
    delivery.stop()
  }

  /// The process may have another bridge from here on, also while something of this one is still on its way.
  private func letGo() {
    signals?.release()
    keeper.letGo()
    BridgeClaim.release(claimNumber)
  }

  /// State and sockets share the manager's store.
  private static func keeper(
    _ inheritance: Inheritance, _ environment: ManagerEnvironment, _ voice: ManagerVoice, _ loop: EventLoop,
    _ lifecycle: Lifecycle, keepsSockets: Bool
  ) -> StateKeeper {
    let room = environment.storedDescriptorsLimit.map { $0 - inheritance.otherPlaces }
    let keeper = StateKeeper(inheritance, voice: voice, loop: loop, lifecycle: lifecycle) {
      [context = lifecycle.context] in
      room.map { $0 - (context[KeptSockets.key]?.count ?? 0) }
    }
    guard voice.hasManager, keepsSockets else { return keeper }
    lifecycle.context[KeptSockets.key] = KeptSockets(
      found: inheritance.start.keptSockets, places: inheritance.socketPlaces,
      limit: { [weak keeper] in room.map { $0 - (keeper?.needsStore == true ? StateStore.places : 0) } },
      { [loop, voice] lines, held in loop.submit { voice.tell(lines, held) } })
    return keeper
  }

  // MARK: Running

  /// Runs to the end; a second call waits for the end of the first.
  nonisolated(nonsending) func run(keepingSignals: Bool) async -> Int32 {
    let isFirst = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    if isFirst {
      signals?.guardEveryMinute(on: loop, reportingTo: lifecycle.hub)
      keeper.begin()
      loop.submit { [occurrences, lifecycle] in occurrences.prepare(lifecycle.capabilities) }
      lifecycle.run(on: self, timeouts: timeouts)
    }
    let status = await lifecycle.exitStatus()
    if isFirst, !keepingSignals { letGo() }
    return status
  }

  private static func received(
    _ origin: LifecycleOrigin, _ action: (Bool) -> SignalAction, _ lifecycle: Lifecycle, _ stops: StopSignals
  ) {
    lifecycle.trace?.note(.signal(origin), at: .now)
    lifecycle.hub.send(.signalReceived(origin))
    switch action(lifecycle.hasReloadListeners) {
    case .reload: lifecycle.arrived(.reload(origin))
    case .stop:
      stops.count(origin, isOver: lifecycle.state == .stopped)
      lifecycle.arrived(.stop(origin))
    case .pause(let cause): lifecycle.arrived(.pause(cause, origin))
    case .resume(let cause): lifecycle.arrived(.resume(cause, origin))
    case .event: lifecycle.arrived(.signal(origin))
    case .ignore, .default: break
    }
  }

  // MARK: LifecyclePerformer

  var now: ContinuousClock.Instant { .now }

  func schedule(_ work: @escaping @Sendable () -> Void) { loop.submit(work) }

  func scheduleFromSource(_ work: @escaping @Sendable () -> Void) { loop.runOrSubmit(work) }

  func deliver(_ work: @escaping @Sendable () -> Void) { delivery.submit(work) }

  var isDelivering: Bool { delivery.isCurrent }

  func notify(_ notice: ManagerNotice) {
    if notice.state == .ready { signals?.takeBack(reportingTo: lifecycle.hub) }
    voice.tell(notice)
    if notice.state == .ready { startEnded() }
  }

  /// What an earlier run has left has been taken by now, or is not wanted.
  private func startEnded() {
    keeper.begin()
    keeper.forgetStoreIfUnused()
    lifecycle.context.letGoOfUntakenSockets()
    lifecycle.context[KeptSockets.key]?.forgetOthers()
    loop.submit { [occurrences] in occurrences.lookAgain() }
  }

  /// The one program of the service reloads by itself, which moves no lifecycle: told between READY and STOPPING, but
  /// for the READY of a reload that the lifecycle's own has caught up with, and that ends with one.
  func tellOwnReload(_ step: ManagerNotice.State) {
    loop.submit { [voice, lifecycle, isInOwnReload] in
      let isFree = lifecycle.state == .foreground || lifecycle.state == .background
      let wasIn = isInOwnReload.withLock { isIn in
        defer { isIn = step == .reloading && isFree }
        return isIn
      }
      if isFree, step != .ready || wasIn { voice.tell(ManagerNotice(step)) }
    }
  }

  /// Says what a program says, where the lifecycle has nothing to say of it.
  ///
  /// - Parameter states: the lifecycle's at that moment; in any other it is left out.
  func tell(_ lines: [String], _ descriptors: HeldDescriptors?, in states: Set<LifecycleState>) {
    loop.submit { [voice, lifecycle] in if states.contains(lifecycle.state) { voice.tell(lines, descriptors) } }
  }

  var hasManager: Bool { voice.hasManager }

  func timer(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any LifecycleTimer {
    BridgeTimer(source: loop.timer(after: delay, work))
  }

  func claim(_ signals: Set<SignalNumber>) { self.signals?.claim(signals, reportingTo: lifecycle.hub) }

  func need(_ capabilities: Set<LifecycleCapability>) { occurrences.need(capabilities) }

  func leaveDeliveryBehind() -> Bool { delivery.leaveThreadBehind() }

  func exitNow(_ exitStatus: Int32) {
    leaving()
    _exit(exitStatus)
  }

  func keepState(_ done: @escaping @Sendable (LifecycleError?) -> Void) { keeper.keep(isNews: true, done) }

  func finish(_ exitStatus: Int32, _ done: @escaping @Sendable () -> Void) {
    keeper.end(asAsked: exitStatus == 0) { [control, voice] in
      voice.flush {
        guard let peers = control.withLock({ $0 }) else { return done() }
        peers.assumeIsolated { $0.end(exitStatus, done) }
      }
    }
  }

  // MARK: Control

  /// Fails with EBUSY the second time.
  func serve(_ listener: StreamListener, facts: ControlFacts) throws(LinuxError) {
    let methods = ControlMethods(lifecycle: lifecycle, facts: facts) { [loop, voice] done in
      loop.submit { voice.flush(done) }
    }
    let peers = ControlPeers(listener, methods: methods, on: loop)
    let isFirst = control.withLock { control in
      if control == nil { control = peers }
      return control === peers
    }
    guard isFirst else { throw LinuxError("bind", EBUSY) }
    try peers.begin()
  }
}

/// A timer of the loop.
private struct BridgeTimer: LifecycleTimer {
  var source: EventSource
  func cancel() { source.cancel() }
}
