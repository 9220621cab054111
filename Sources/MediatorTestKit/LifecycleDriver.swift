internal import Dispatch
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
  private let recorder = EventRecorder()

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
    performer = DriverPerformer(center: center, clock: clock, watchdog: watchdog, policy: watchdogPolicy)
    mediator = LifecycleMediator(
      center: center, object: lifecycle, executor: performer.delivery, injector: injector,
      recorder: { [recorder] listener, transition in
        recorder.record(RecordedEvent(listener, transition.event, transition.reason))
      }, listeners)
  }

  /// Where notifications are posted, for a test of plain observers.
  public var center: NotificationCenter { performer.center }

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

  /// What listeners have handed over for the next run, before a stop or at `lifecycle.saveState()`.
  public var savedState: [SavedState] { lifecycle.savedStates }

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

  /// Does what the bridge does when this request comes from outside, for instance from a signal.
  package func submit(_ input: LifecycleInput) { lifecycle.submit(input) }

  // MARK: What happened

  /// The next listener to be told something, in order; waits until there is one.
  public func nextEvent() async -> RecordedEvent { await recorder.next() }

  /// Everybody who was told something, in order.
  public var events: [RecordedEvent] { recorder.all }

  /// What the service manager would have been told, each datagram with its lines, but for requests to wait and pings.
  public var notifyMessages: [String] { performer.messages.filter { !Self.isAside($0) } }

  /// The pings of the watchdog, and what triggers it.
  public var watchdogMessages: [String] { performer.messages.filter { $0.hasPrefix("WATCHDOG=") } }

  private static func isAside(_ message: String) -> Bool {
    message.contains("EXTEND_TIMEOUT_USEC=") || message.hasPrefix("WATCHDOG=")
  }

  /// The datagrams that ask the service manager to wait.
  public var extensionMessages: [String] { performer.messages.filter { $0.contains("EXTEND_TIMEOUT_USEC=") } }

  /// The exit status of a process that a third stop signal would have ended at once; nil otherwise.
  public var forcedExitStatus: Int32? { performer.forced.withLock(\.self) }
}

struct DriverTimer: LifecycleTimer {
  var clock: ManualClock
  var number: UInt64
  func cancel() { clock.cancel(number) }
}

/// Stands in for the bridge's delivery thread: posts, and listeners, run on a thread that only they may block.
final class DriverDelivery: TaskExecutor {
  private let queue = Locked(DispatchQueue(label: "lifecycle-post"))

  func submit(_ work: @escaping @Sendable () -> Void) { queue.withLock(\.self).async(execute: work) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    submit { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// The queue's thread may be stuck; another queue takes what comes next.
  func leaveThreadBehind() { queue.withLock { $0 = DispatchQueue(label: "lifecycle-post") } }
}

/// Two queues stand in for the bridge's loop and its delivery thread.
final class DriverPerformer: LifecyclePerformer {
  let center: NotificationCenter
  let delivery = DriverDelivery()
  private let clock: ManualClock
  private let began: ContinuousClock.Instant
  private let loop = DispatchQueue(label: "lifecycle-loop")
  let forced = Locked<Int32?>(nil)
  private let sent = Locked<[String]>([])

  let watchdogInterval: Duration?
  let watchdogPolicy: WatchdogPolicy

  init(center: NotificationCenter, clock: ManualClock, watchdog: Duration?, policy: WatchdogPolicy) {
    watchdogInterval = watchdog
    watchdogPolicy = policy
    self.center = center
    self.clock = clock
    began = clock.now
  }

  var messages: [String] { sent.withLock(\.self) }
  var now: ContinuousClock.Instant { clock.now }

  func schedule(_ work: @escaping @Sendable () -> Void) { loop.async(execute: work) }
  func deliver(_ work: @escaping @Sendable () -> Void) { delivery.submit(work) }

  func notify(_ notice: ManagerNotice) {
    let elapsed = began.duration(to: clock.now).components
    let microseconds = UInt64(elapsed.seconds) * 1_000_000 + UInt64(elapsed.attoseconds / 1_000_000_000_000)
    let lines = notice.lines { microseconds }
    sent.withLock { $0.append(lines.joined(separator: "\n")) }
  }

  func timer(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any LifecycleTimer {
    DriverTimer(clock: clock, number: clock.schedule(after: delay) { [loop] _ in loop.async(execute: work) })
  }

  func leaveDeliveryBehind() -> Bool {
    delivery.leaveThreadBehind()
    return true
  }

  /// There are no signals here.
  func claim(_ signals: Set<SignalNumber>) {}

  func exitNow(_ exitStatus: Int32) { forced.withLock { $0 = exitStatus } }

  func finish(_ exitStatus: Int32, _ done: @escaping @Sendable () -> Void) { done() }
}
