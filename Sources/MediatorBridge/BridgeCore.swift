internal import Foundation
internal import Mediator
internal import MediatorLinux

/// Performs the lifecycle's effects on Linux: its loop takes signals and talks to the manager, its delivery thread
/// runs every post and starts every listener.
final class BridgeCore: LifecyclePerformer {
  let lifecycle = Lifecycle()
  let center: NotificationCenter
  let mediator: LifecycleMediator
  private let loop: EventLoop
  private let delivery: DeliveryExecutor
  private let voice: ManagerVoice
  private let signals: BridgeSignals?
  private let hasBegun = Locked(false)

  init(
    signals ownership: LifecycleBridge.SignalOwnership, overriding: [SignalNumber: SignalAction],
    center: NotificationCenter, listeners: () -> [ListenerEntry]
  ) throws(LifecycleError) {
    try BridgeClaim.take()
    do throws(LinuxError) {
      let environment = ManagerEnvironment.capture()
      let entries = listeners()
      signals = try BridgeSignals(
        ownership, environment: environment, overriding: overriding,
        named: entries.reduce(into: []) { $0.formUnion($1.signals) })
      loop = try EventLoop(name: "lifecycle-loop")
      delivery = try DeliveryExecutor(name: "lifecycle-post")
      voice = ManagerVoice(environment: environment, loop: loop, hub: lifecycle.hub)
      self.center = center
      mediator = LifecycleMediator(center: center, object: lifecycle, executor: delivery) { entries }
    } catch {
      BridgeClaim.release()
      throw LifecycleError(
        .system, message: error.description, advice: "the bridge cannot work without it", errno: error.code)
    }
  }

  deinit {
    signals?.release()
    loop.shutdown()
    delivery.shutdown()
    BridgeClaim.release()
  }

  // MARK: Running

  /// Runs to the end; a second call waits for the end of the first.
  func run(keepingSignals: Bool) async -> Int32 {
    let isFirst = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    if isFirst {
      lifecycle.run(on: self)
      listen()
    }
    let status = await lifecycle.exitStatus()
    if isFirst, !keepingSignals { signals?.release() }
    return status
  }

  private func listen() {
    do throws(LinuxError) {
      try signals?.start(on: loop) { [weak self] origin, action in self?.received(origin, action) }
      signals?.guardEveryMinute(on: loop, reportingTo: lifecycle.hub)
    } catch {
      // The descriptor was made by the claim, so only memory can be missing; a daemon without signals must not go on.
      lifecycle.requestStop()
    }
  }

  private func received(_ origin: LifecycleOrigin, _ action: (Bool) -> SignalAction) {
    lifecycle.hub.send(.signalReceived(origin))
    switch action(lifecycle.hasReloadListeners) {
    case .reload: lifecycle.submit(.reload(origin))
    case .stop: lifecycle.submit(.stop(origin))
    case .pause(let cause): lifecycle.submit(.pause(cause, origin))
    case .resume(let cause): lifecycle.submit(.resume(cause, origin))
    case .event: lifecycle.submit(.signal(origin))
    case .ignore, .default: break
    }
  }

  // MARK: LifecyclePerformer

  var now: ContinuousClock.Instant { .now }

  func schedule(_ work: @escaping @Sendable () -> Void) { loop.submit(work) }

  func deliver(_ work: @escaping @Sendable () -> Void) { delivery.submit(work) }

  func notify(_ notice: ManagerNotice) {
    if notice.state == .ready { signals?.takeBack(reportingTo: lifecycle.hub) }
    voice.tell(notice)
  }

  func finish(_ exitStatus: Int32, _ done: @escaping @Sendable () -> Void) { voice.flush(done) }
}
