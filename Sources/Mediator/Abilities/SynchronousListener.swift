/// A listener that is told without a suspension: the fast path, for many listeners or short work.
///
/// `handle` takes the place of the seven methods of `LifecycleListener`, which are not called; abilities are, as ever.
/// It has no isolation, so a struct or a class may be one, but neither an actor nor a `@MainActor` class.
///
/// Those that stand first in the order are told without a task, unless they have another ability, a time limit or a group,
/// or each call is measured or traced. There `Task.isCancelled` says nothing. They are told of what the bridge posts on its
/// delivery thread, right after the post; of what somebody else posts on the thread that posts, inside the post, unless the
/// mediator has an executor or is telling somebody already. A lock that is held around `post` is then held in `handle`, too.
public protocol SynchronousListener: LifecycleListener {
  /// Told of each of the seven events, in order with the others; a throw counts as theirs does.
  func handle(_ transition: LifecycleTransition) throws
}
