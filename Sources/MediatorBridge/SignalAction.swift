package import Mediator

/// What a signal means to the bridge.
package enum SignalAction: Hashable, Sendable {
  case reload
  case stop
  case pause(PauseCause)
  case resume(PauseCause)
  /// Post `didReceiveSignal`.
  case event
  case ignore
  /// Leave the signal alone.
  case `default`
}
