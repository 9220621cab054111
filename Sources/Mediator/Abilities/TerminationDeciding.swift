/// A listener that has a say in when the service may stop.
///
/// All are asked, in registration order, and the strictest answer counts. A throw counts as `.now`.
public protocol TerminationDeciding: LifecycleListener {
  /// Decides whether the stop may begin now; the transition's origin says who asks for it.
  func terminationDecision(_ transition: LifecycleTransition) async throws -> TerminationDecision
}
