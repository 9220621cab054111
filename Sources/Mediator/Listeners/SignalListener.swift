/// A listener for signals that have no meaning of their own; the bridge claims those that it names.
public protocol SignalListener: LifecycleListener {
  var signals: Set<SignalNumber> { get }
  func didReceiveSignal(_ transition: LifecycleTransition) async throws
}
