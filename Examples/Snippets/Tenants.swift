/// Listeners that come and go while the service runs.
import Mediator

struct Tenant: LifecycleListener {
  let name: String
  func didFinishLaunching(_ transition: LifecycleTransition) async throws {}  // open its store
  func willTerminate(_ transition: LifecycleTransition) async throws {}  // close it
}

/// Returns when the tenant is where the others are; throws, and forgets the tenant, when its start fails.
func admit(_ name: String, to mediator: LifecycleMediator) async throws -> LifecycleMediator.Token {
  try await mediator.add(Tenant(name: name).optional())
}

/// The tenant is called no more, but for its own stop; returns when that is done.
func dismiss(_ token: LifecycleMediator.Token, from mediator: LifecycleMediator) async {
  await mediator.remove(token)
}
