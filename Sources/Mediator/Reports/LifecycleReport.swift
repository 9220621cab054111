/// Something worth knowing that happened in the lifecycle; the library itself logs nothing.
///
/// Later versions add cases: end a `switch` over reports with `default`.
public enum LifecycleReport: Sendable {
  /// A signal of the bridge's has arrived, whatever comes of it.
  case signalReceived(LifecycleOrigin)
  /// An event is being posted: which, why, who asked, and the number of its transition.
  case eventBegan(LifecycleEvent, LifecycleReason, LifecycleOrigin, serial: UInt64)
  /// Everybody who was told has finished, or was left behind.
  ///
  /// `duration` counts from the post; `wasCancelled` says that not everybody was told.
  case eventEnded(LifecycleEvent, LifecycleReason, serial: UInt64, duration: Duration, wasCancelled: Bool)
  /// A listener, or an observer's deferral, has failed or taken too long.
  case listenerFailed(ListenerFailure)
  /// The lifecycle is in another state than before.
  case stateChanged(LifecycleState)
  /// A reload has ended, also for those who did not ask for it.
  case reloadEnded(ReloadOutcome)
  /// A reload was asked for while something else was on its way; it follows.
  case reloadRemembered
  /// So many signals, requests and other news waited for their turn when the stop began; nobody is told of them.
  case occurrencesDropped(Int)
  /// A reload was asked for, and no listener takes part in reloads.
  case nothingToReload
  /// A listener is unwell, or delivery does not turn; said once until it changes.
  case unwell(ListenerFailure)
  /// A request has its result.
  case requestEnded(verb: String, RequestResult)
  /// A listener that was to answer a question failed, or took too long; its answer is left out.
  case answerFailed(listener: String, message: String)
  /// State that an earlier run has left was not offered to the listener, or it refused it.
  case stateIgnored(listener: String, reason: String)
  /// What an earlier run has left in a place, the service manager's store or a file, is ignored as a whole.
  case stateUnreadable(place: String, reason: String)
  /// The states of these listeners are kept for the next run.
  case stateSaved(listeners: [String])
  /// State could not be kept in a place; what lies there is older, and the service goes on.
  case stateNotSaved(place: String, message: String)
  /// Something happened to a scene, by its identifier.
  case sceneChanged(id: String, kind: String, LifecycleScene.State)
  /// A stop that could be cancelled was, by a listener that says why.
  case terminationCancelled(reason: String)
  /// A deferral was released without `complete()` or `fail(_:)`; it was taken as completed.
  case deferralReleased(name: String, event: LifecycleEvent)
  /// A deferral was asked for after the post had returned; there was none to be had.
  case deferralTooLate(name: String, event: LifecycleEvent)
  /// Another part of the process took these signals from the bridge, which took them back.
  case signalsReclaimed(Set<SignalNumber>)
  /// A listener named signals that cannot be claimed; it will not be told of them.
  case signalsNotClaimed(Set<SignalNumber>, message: String)
  /// A source of events for listeners with this ability cannot be used; the next one is tried, if there is any.
  case sourceUnusable(LifecycleCapability, message: String)
  /// The machine sleeps or goes down although listeners are not in the background: it has waited as long as it may.
  case sleepNotAwaited(after: Duration)
  /// The service manager could not be told; the service goes on.
  ///
  /// Said once until a send succeeds again. `errno` is that of `sendmsg(2)`.
  case notifyFailed(message: String, errno: Int32)
  /// Too many threads are stuck in listeners that never return; the process ends.
  case deliveryExhausted
  /// All has been said and done; it is the last report.
  case finished(exitStatus: Int32)
}
