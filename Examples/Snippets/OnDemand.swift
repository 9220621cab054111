/// A service that ends by itself when nobody uses it, for instance one that a socket unit starts again.
import Mediator

/// After five minutes without a request, a scene or a call of `lifecycle.noteActivity()`, if its listeners agree.
func serveOnDemand(_ lifecycle: Lifecycle) { lifecycle.idleExit = .after(.seconds(300)) }

/// As the app that terminates after its last window was closed.
func serveTenantsOnly(_ lifecycle: Lifecycle) { lifecycle.idleExit = .afterLastScene }
