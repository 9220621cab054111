/// A listener for signals that have no meaning of their own; the bridge claims those that it names.
public protocol SignalListener: LifecycleListener {
  /// Asked when the bridge and the mediator are made: the answer must not change.
  var signals: Set<SignalNumber> { get }
  /// The transition's origin has the number, the sender and the value of `sigqueue(3)`.
  func didReceiveSignal(_ transition: LifecycleTransition) async throws
}
