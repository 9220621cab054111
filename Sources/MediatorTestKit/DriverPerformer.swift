internal import Dispatch
internal import Foundation
internal import Mediator

/// Carries out what the state machine decides, with two queues in place of the bridge's loop and delivery thread.
final class DriverPerformer: LifecyclePerformer {
  let ownCenter: NotificationCenter
  var center: NotificationCenter? { ownCenter }
  let delivery = DriverDelivery()
  let recorder = EventRecorder()
  let forced = Locked<Int32?>(nil)
  let needed = Locked<[Set<LifecycleCapability>]>([])
  private let clock: ManualClock
  private let began: ContinuousClock.Instant
  private let loop = DispatchQueue(label: "lifecycle-loop")
  private let sent = Locked<[String]>([])
  /// Sees each message to the manager.
  private let told: @Sendable (String, ContinuousClock.Instant) -> Void

  let watchdogInterval: Duration?
  let watchdogPolicy: WatchdogPolicy

  init(
    center: NotificationCenter, clock: ManualClock, watchdog: Duration?, policy: WatchdogPolicy,
    told: @escaping @Sendable (String, ContinuousClock.Instant) -> Void
  ) {
    self.told = told
    watchdogInterval = watchdog
    watchdogPolicy = policy
    ownCenter = center
    self.clock = clock
    began = clock.now
  }

  var messages: [String] { sent.withLock({ $0 }) }
  var now: ContinuousClock.Instant { clock.now }

  func schedule(_ work: @escaping @Sendable () -> Void) { loop.async(execute: work) }
  func deliver(_ work: @escaping @Sendable () -> Void) { delivery.submit(work) }

  func notify(_ notice: ManagerNotice) {
    let now = clock.now
    let elapsed = began.duration(to: now).components
    let microseconds = UInt64(elapsed.seconds) * 1_000_000 + UInt64(elapsed.attoseconds / 1_000_000_000_000)
    let text = notice.lines { microseconds }.joined(separator: "\n")
    sent.withLock { $0.append(text) }
    told(text, now)
  }

  func timer(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any LifecycleTimer {
    DriverTimer(clock: clock, number: clock.schedule(after: delay) { [loop] _ in loop.async(execute: work) })
  }

  func leaveDeliveryBehind() -> Bool { delivery.leaveBehind() }

  /// There are no signals here.
  func claim(_ signals: Set<SignalNumber>) {}

  /// There are no sources of events either: a test says what happens.
  func need(_ capabilities: Set<LifecycleCapability>) { needed.withLock { $0.append(capabilities) } }

  /// The lifecycle's own memory is all there is; a test takes it from there.
  func keepState(_ done: @escaping @Sendable (LifecycleError?) -> Void) { done(nil) }

  func exitNow(_ exitStatus: Int32) { forced.withLock { $0 = exitStatus } }

  func finish(_ exitStatus: Int32, _ done: @escaping @Sendable () -> Void) {
    done()
    recorder.end()
  }
}

private struct DriverTimer: LifecycleTimer {
  var clock: ManualClock
  var number: UInt64
  func cancel() { clock.cancel(number) }
}
