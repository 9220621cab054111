package import Foundation

/// Carries out what the state machine decides: the bridge, or the test kit's driver.
package protocol LifecyclePerformer: AnyObject, Sendable {
  /// Where notifications are posted; nil where nobody but the lifecycle's mediators could hear of them, who are then told
  /// at once.
  var center: NotificationCenter? { get }
  /// The clock that durations are measured with.
  var now: ContinuousClock.Instant { get }
  /// Runs the work later, one after the other, in the order of the calls, where no foreign code ever runs; also
  /// work that comes after the end is run.
  func schedule(_ work: @escaping @Sendable () -> Void)
  /// As `schedule`, but maybe at once: it is called where inputs are processed, and while none is.
  func scheduleFromSource(_ work: @escaping @Sendable () -> Void)
  /// Runs the work later, in the order of the calls, where foreign code may block.
  func deliver(_ work: @escaping @Sendable () -> Void)
  /// Whether this is the thread where what is delivered runs; false where that is not known.
  var isDelivering: Bool { get }
  /// Runs the work after a time, where `schedule` does, unless it is cancelled first.
  func timer(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any LifecycleTimer
  /// What is being delivered does not return: if it holds the thread, the rest goes on on a fresh one. False when
  /// too many threads were left behind already.
  func leaveDeliveryBehind() -> Bool
  /// Ends the process, now.
  func exitNow(_ exitStatus: Int32)
  func notify(_ notice: ManagerNotice)
  /// How long the manager waits for a ping (`WATCHDOG_USEC` in sd_watchdog_enabled(3)); nil without a watchdog.
  var watchdogInterval: Duration? { get }
  var watchdogPolicy: WatchdogPolicy { get }
  /// Listeners have named these signals, too.
  func claim(_ signals: Set<SignalNumber>)
  /// Somebody uses the sources of events that these abilities are about, and nobody the others.
  func need(_ capabilities: Set<LifecycleCapability>)
  /// Keeps `Lifecycle.savedStates` for the next run, and says why if it is kept nowhere.
  func keepState(_ done: @escaping @Sendable (LifecycleError?) -> Void)
  /// The lifecycle is over: calls back when all that was said to the manager has left.
  func finish(_ exitStatus: Int32, _ done: @escaping @Sendable () -> Void)
}

extension LifecyclePerformer {
  package var isDelivering: Bool { false }
  package func scheduleFromSource(_ work: @escaping @Sendable () -> Void) { schedule(work) }
}

/// Something that will happen, unless it is cancelled.
package protocol LifecycleTimer: Sendable {
  func cancel()
}
