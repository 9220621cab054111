/// The listeners whose cost is measured: they do nothing but count.
import Foundation
import Mediator

final class Quick: SynchronousListener {
  func handle(_ transition: LifecycleTransition) throws {}
}

final class Waiting: LifecycleListener {
  func didBecomeActive(_ transition: LifecycleTransition) async throws {}
}

/// One with abilities, which a registration has to keep.
final class Able: ReloadListener, HealthChecking, RequestListener {
  func didBecomeActive(_ transition: LifecycleTransition) async throws {}
  func prepareReload(_ transition: LifecycleTransition) async throws {}
  func reload(_ prepared: Void, _ transition: LifecycleTransition) async throws {}
  func revertReload(_ transition: LifecycleTransition) async throws {}
  func checkHealth() async throws {}
  func answer(_ request: LifecycleRequest) async throws -> RequestAnswer { .declined }
}

actor Isolated: LifecycleListener {
  nonisolated let name = "isolated"
  func didBecomeActive(_ transition: LifecycleTransition) async throws {}
}

/// The last of the listeners: says that the post has reached everybody.
final class Last: SynchronousListener {
  let told = DispatchSemaphore(value: 0)
  func handle(_ transition: LifecycleTransition) throws { told.signal() }
}
