public import Foundation
public import Mediator
package import MediatorLinux

/// Turns POSIX signals into lifecycle notifications, and tells the service manager the truth back (`sd_notify(3)`).
///
/// SIGHUP reloads; SIGTERM, SIGINT, SIGQUIT and SIGRTMIN+3 stop; SIGUSR1 and SIGTSTP pause; SIGUSR2, and SIGCONT
/// after SIGTSTP, resume. Without a manager it tells nobody and everything else works.
public struct LifecycleBridge: Sendable {
  /// Who handles signals.
  public enum SignalOwnership: Sendable {
    /// The bridge, but for those that are left alone.
    case bridge(exceptFor: Set<SignalNumber> = [])
    /// The host program, which calls `lifecycle.reload()`, `lifecycle.stop()` and so on itself.
    case host
  }

  private let core: BridgeCore

  /// Claims the signals: from here on none of them ends the process; they count when `run` is called.
  ///
  /// - Parameters:
  ///   - signals: who handles signals.
  ///   - timeouts: how long a start, a reload and a stop may take in all. Unit timeouts of systemd should be longer
  ///     than two seconds: from then on it is asked to wait (`EXTEND_TIMEOUT_USEC`).
  ///   - watchdog: what becomes of the manager's watchdog when a required `HealthChecking` listener is unwell. With
  ///     `WatchdogSec=` in the unit it is pinged from READY to STOPPING, by itself.
  ///   - center: where notifications are posted.
  ///   - listeners: evaluated once, here.
  /// - Throws: `.bridgeExists` when the process has a bridge already, `.system` when the system refuses a call.
  public init(
    signals: SignalOwnership = .bridge(), timeouts: LifecycleTimeouts = LifecycleTimeouts(),
    watchdog: WatchdogPolicy = .silence, center: NotificationCenter = .default,
    @ListenerBuilder _ listeners: () -> [ListenerEntry]
  ) throws(LifecycleError) {
    core = try BridgeCore(
      signals: signals, overriding: [:], timeouts: timeouts, center: center, watchdog: watchdog,
      listeners: listeners)
  }

  /// For lifecycled: what the manager's store gives back is its programs', and they keep their own state. Nobody else in
  /// its process could observe anything, so nothing is posted: the first use of a center costs a fifth of its start.
  ///
  /// - Parameters:
  ///   - beside: where listeners do what goes on beside the callbacks, none of which blocks; nil is the global executor.
  ///   - leaving: called right before the process ends at once, by a third signal for instance.
  package init(
    overriding: [SignalNumber: SignalAction], timeouts: LifecycleTimeouts, watchdog: WatchdogPolicy = .silence,
    beside: (any TaskExecutor)? = nil, leaving: @escaping @Sendable () -> Void = {},
    @ListenerBuilder _ listeners: () -> [ListenerEntry]
  ) throws(LifecycleError) {
    core = try BridgeCore(
      signals: .bridge(), overriding: overriding, timeouts: timeouts, center: nil, watchdog: watchdog,
      keepsState: false, beside: beside, leaving: leaving, listeners: listeners)
  }

  /// The handle: its state, its reports, and ways to reload, pause and stop from inside the program.
  public var lifecycle: Lifecycle { core.lifecycle }

  /// The listeners, to add and remove some while running.
  public var mediator: LifecycleMediator { core.mediator }

  /// The one program of the service reloads by itself: `.reloading`, then `.ready`, or both at once as `.reloaded`.
  package func tellOwnReload(_ step: ManagerNotice.State) { core.tellOwnReload(step) }

  /// Tells the manager what a program under this one has said, if the lifecycle is in one of these states then; the
  /// descriptors are closed when they were sent.
  package func tell(
    _ lines: [String], _ descriptors: HeldDescriptors? = nil,
    in states: Set<LifecycleState> = Set(LifecycleState.allCases)
  ) {
    core.tell(lines, descriptors, in: states)
  }

  /// For what lifecycled itself does there: never foreign code.
  package var loop: EventLoop { core.loop }

  package var hasManager: Bool { core.hasManager }

  /// Starts, serves until somebody asks for a stop, stops in order, and returns the exit status.
  ///
  /// 0 after a stop that was asked for, 69 when the start failed, 70 when a required listener failed while running or
  /// stopping, 75 when one did not stop in its time. A second SIGTERM, SIGINT or SIGQUIT leaves five seconds for all
  /// that is left, a third ends the process at once with 128 and the signal's number. Cancelling the task is a stop.
  /// At the end the signals have their earlier dispositions again.
  public nonisolated(nonsending) func run() async -> Int32 {
    await withTaskCancellationHandler {
      await core.run(keepingSignals: false)
    } onCancel: {
      core.lifecycle.requestStop()
    }
  }

  func serve(_ listener: StreamListener, facts: ControlFacts) throws(LinuxError) {
    try core.serve(listener, facts: facts)
  }

  /// As `run`, for a process that exits next: a second SIGTERM must not overtake its exit status.
  package nonisolated(nonsending) func runUntilExit() async -> Int32 { await core.run(keepingSignals: true) }
}
