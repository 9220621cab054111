/// A listener that is told without a suspension: the fast path, for many listeners or short work.
///
/// `handle` takes the place of the seven methods of `LifecycleListener`, which are not called; abilities are, as ever.
public protocol SynchronousListener: LifecycleListener {
  /// Told of each of the seven events, in order with the others; a throw counts as theirs does.
  func handle(_ transition: LifecycleTransition) throws
}
