/// Who asked for a transition.
public enum LifecycleOrigin: Hashable, Sendable {
  /// A signal, with its sender and the value of `sigqueue(3)`, as `siginfo_t` gives them (`sigaction(2)`).
  ///
  /// The sender's pid and uid are 0 when the kernel sent the signal, or when so many arrived at once that the
  /// record of one was lost.
  case signal(number: SignalNumber, senderPID: Int32, senderUID: UInt32, value: Int?)
  /// The service manager.
  case manager
  /// The program itself, through its `Lifecycle`.
  case embedder
  /// Somebody who posted a notification of this name without a transition.
  case foreignPost
  /// A peer of the control socket, by its credentials (`SO_PEERCRED` in `unix(7)`).
  case control(pid: Int32, uid: UInt32)
  /// A scene, by its identifier.
  case scene(String)
  /// The machine: memory, clock, credentials, sleep.
  case system
}
