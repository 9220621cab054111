/// A library that brings a listener of its own, before the program that uses it has a lifecycle.
import Mediator

struct Tracing: LifecycleListener {
  let endpoint: String
  func didFinishLaunching(_ transition: LifecycleTransition) async throws {}  // connect

  /// May be called before the bridge is made, which takes all that waits, in order, once; or later, while it runs.
  @discardableResult
  static func install(endpoint: String, into injector: LifecycleInjector = .shared) -> LifecycleInjector.Token {
    injector.register(Tracing(endpoint: endpoint).optional())
  }
}
