public import Foundation
public import Mediator

/// Drives listeners through a lifecycle in a test: the bridge without signals and without systemd.
///
/// The decisions are the same state machine's; what the manager would be told is in `notifyMessages`, who was told
/// what is in `events`.
public final class LifecycleDriver: Sendable {
  /// The handle, as the bridge has one.
  public let lifecycle: Lifecycle
  /// The listeners, to add and remove some while the test runs.
  public let mediator: LifecycleMediator
  /// What durations and time limits are measured with.
  public let clock: ManualClock
  private let timeouts: LifecycleTimeouts
  private let performer: DriverPerformer

  /// Registers the listeners; nobody is told anything before `start()` or `run()`.
  ///
  /// - Parameters:
  ///   - clock: what durations and time limits are measured with; turn it as you like.
  ///   - timeouts: as in `LifecycleBridge`.
  ///   - center: where notifications are posted; a center of its own keeps tests apart.
  ///   - context: what factories and listeners get; make one with the start information that a test wants.
  ///   - savedState: what an earlier run has left, as `savedState` of another driver.
  ///   - watchdog: how long the manager waits for a ping, as `WatchdogSec=` of a unit; nil without a watchdog.
  ///   - watchdogPolicy: as in `LifecycleBridge`.
  ///   - injector: whose entries come before the listeners.
  ///   - listeners: as in `LifecycleBridge`.
  public init(
    clock: ManualClock = ManualClock(), timeouts: LifecycleTimeouts = LifecycleTimeouts(),
    center: NotificationCenter = NotificationCenter(), context: LifecycleContext = LifecycleContext(),
    savedState: [SavedState] = [], watchdog: Duration? = nil, watchdogPolicy: WatchdogPolicy = .silence,
    injector: LifecycleInjector? = nil,
    @ListenerBuilder _ listeners: () -> [ListenerEntry]
  ) {
    self.clock = clock
    self.timeouts = timeouts
    lifecycle = Lifecycle(context: context)
    lifecycle.savedStates = savedState
    performer = DriverPerformer(center: center, clock: clock, watchdog: watchdog, policy: watchdogPolicy) {
      [weak lifecycle] text, now in lifecycle?.trace?.note(.notify(text), at: now)
    }
    mediator = LifecycleMediator(
      center: center, object: lifecycle, executor: performer.delivery, injector: injector,
      recorder: { [recorder = performer.recorder] listener, transition in
        recorder.record(RecordedEvent(listener, transition.event, transition.reason))
      }, listeners)
  }

  /// Where notifications are posted, for a test of plain observers.
  public var center: NotificationCenter { performer.ownCenter }

  // MARK: Driving

  /// Begins the start without waiting for it.
  public func run() { lifecycle.run(on: performer, timeouts: timeouts) }

  /// Starts, and returns when the service is in the foreground.
  ///
  /// - Throws: `.stateUnreachable` when the start fails or is stopped.
  public func start() async throws(LifecycleError) {
    run()
    try await lifecycle.state(.foreground)
  }

  /// Reloads as SIGHUP does, and returns what came of it.
  public func reload() async -> ReloadOutcome { await lifecycle.reload() }

  /// Pauses as the program itself can, and returns when the service is in the background.
  ///
  /// - Throws: as `Lifecycle.pause()` does.
  public func pause() async throws(LifecycleError) { try await lifecycle.pause() }

  /// Ends the pause that `pause()` began, and returns when the service is in the foreground.
  ///
  /// - Throws: as `Lifecycle.resume()` does.
  public func resume() async throws(LifecycleError) { try await lifecycle.resume() }

  /// Pauses as the machine does before it sleeps or goes down, and returns when the service is in the background.
  ///
  /// - Throws: as `Lifecycle.pause()` does.
  public func sleep() async throws(LifecycleError) {
    try await result { lifecycle.pause(.sleep, from: .system, $0) }
  }

  /// Ends that pause, and returns when the service is in the foreground, or stays in the background for another cause.
  ///
  /// - Throws: as `Lifecycle.resume()` does.
  public func wake() async throws(LifecycleError) {
    try await result { lifecycle.resume(.sleep, from: .system, $0) }
  }

  private func result(
    _ body: (@escaping @Sendable (Result<Void, LifecycleError>) -> Void) -> Void
  ) async throws(LifecycleError) {
    let result = await withCheckedContinuation { continuation in
      body { continuation.resume(returning: $0) }
    }
    try result.get()
  }

  /// Stops in order and returns the exit status.
  public func stop() async -> Int32 { await lifecycle.stop() }

  /// Offers a request, as a control peer or the program itself does.
  public func send(_ request: LifecycleRequest) async -> RequestResult { await lifecycle.send(request) }

  /// Tells listeners of a signal, as the bridge does with one that has no meaning of its own; returns when everybody
  /// has finished.
  public func signal(_ number: SignalNumber, value: Int? = nil) async {
    let origin = LifecycleOrigin.signal(number: number, senderPID: 0, senderUID: 0, value: value)
    _ = await lifecycle.occurred(.didReceiveSignal, origin, .none)
  }

  /// Tells listeners that memory is scarce; returns when everybody has finished.
  public func warn(of pressure: MemoryPressure) async {
    _ = await lifecycle.occurred(.didReceiveMemoryWarning, .system, .memoryPressure(pressure))
  }

  /// Tells listeners that time has changed; returns when everybody has finished.
  public func change(_ time: TimeChange) async {
    _ = await lifecycle.occurred(.significantTimeChange, .system, .timeChange(time))
  }

  /// Tells listeners that credentials came or go; returns when everybody has finished.
  public func secrets(available: Bool) async {
    let event: LifecycleEvent = available ? .secretsDidBecomeAvailable : .secretsWillBecomeUnavailable
    _ = await lifecycle.occurred(event, .system, .none)
  }

  /// What the next run would get now: what listeners have handed over at `saveState()`, after a reload, or before a stop.
  ///
  /// To try what a crash leaves, read it, and let another driver have it without stopping this one.
  public var savedState: [SavedState] { lifecycle.savedStates }

  /// Has listeners hand over their state, as the program itself can.
  ///
  /// - Throws: as `Lifecycle.saveState()` does, but that a driver can keep everything.
  @discardableResult
  public func saveState() async throws(LifecycleError) -> [SavedState] { try await lifecycle.saveState() }

  /// Waits for the end without asking for it.
  public func exitStatus() async -> Int32 { await lifecycle.exitStatus() }

  /// Returns when what was submitted before has been looked at, and delivery has turned once.
  package func settle() async {
    await withCheckedContinuation { continuation in
      performer.schedule { [performer] in
        performer.deliver { performer.schedule { continuation.resume() } }
      }
    }
  }

  /// Returns when what was submitted before has been looked at, whatever delivery does.
  package func settleLoop() async {
    await withCheckedContinuation { continuation in
      performer.schedule { continuation.resume() }
    }
  }

  /// Does what the bridge does when this request comes from outside, for instance from a signal.
  package func submit(_ input: LifecycleInput) { lifecycle.submit(input) }

  // MARK: What happened

  /// The next listener to be told something, in order; waits until there is one.
  ///
  /// The listener is told at that moment: what it does then may still be on its way.
  ///
  /// - Parameter limit: how long to wait, in real time.
  /// - Throws: `.timedOut` when nobody is told anything, `.stateUnreachable` when the lifecycle has ended before, and
  ///   `.cancelled` when the calling task was cancelled.
  @discardableResult
  public func nextEvent(within limit: Duration = .seconds(10)) async throws(LifecycleError) -> RecordedEvent {
    try await performer.recorder.next("the next event", within: limit) { _ in true }
  }

  /// Waits until a listener is told of an event, after what was awaited before; what lies between is skipped.
  ///
  /// - Parameters:
  ///   - listener: its name.
  ///   - event: what it is told.
  ///   - limit: how long to wait, in real time.
  /// - Throws: as `nextEvent(within:)` does; the error says what happened instead.
  @discardableResult
  public func event(
    _ listener: String, _ event: LifecycleEvent, within limit: Duration = .seconds(10)
  ) async throws(LifecycleError) -> RecordedEvent {
    try await performer.recorder.next("\(listener).\(event.rawValue)", within: limit) {
      $0.listener == listener && $0.event == event
    }
  }

  /// Everybody who was told something, in order.
  public var events: [RecordedEvent] { performer.recorder.all }

  /// What the service manager would have been told, each datagram with its lines, but for requests to wait and pings.
  public var notifyMessages: [String] { performer.messages.filter { !Self.isAside($0) } }

  /// The pings of the watchdog, and what triggers it.
  public var watchdogMessages: [String] { performer.messages.filter { $0.hasPrefix("WATCHDOG=") } }

  private static func isAside(_ message: String) -> Bool {
    message.contains("EXTEND_TIMEOUT_USEC=") || message.hasPrefix("WATCHDOG=")
  }

  /// The datagrams that ask the service manager to wait.
  public var extensionMessages: [String] { performer.messages.filter { $0.contains("EXTEND_TIMEOUT_USEC=") } }

  /// The abilities whose sources the bridge would have open, each time that they changed.
  package var neededCapabilities: [Set<LifecycleCapability>] { performer.needed.withLock({ $0 }) }

  /// The exit status of a process that a third stop signal would have ended at once; nil otherwise.
  public var forcedExitStatus: Int32? { performer.forced.withLock({ $0 }) }
}
