internal import Glibc
public import Mediator

/// A daemon whose listeners are listed by a subclass, as PluggableApplicationDelegate does it on iOS.
///
/// `@main final class Server: PluggableLifecycle { @ListenerBuilder override var listeners: [ListenerEntry] { … } }`: an
/// override does not inherit the builder. For a struct, see `LifecycleApplication`.
open class PluggableLifecycle {
  /// Made before signals are claimed.
  public required init() {}

  /// The listeners in order; read once, when the lifecycle is made.
  @ListenerBuilder open var listeners: [ListenerEntry] { [] }

  /// How long a start, a reload and a stop may take.
  open var timeouts: LifecycleTimeouts { LifecycleTimeouts() }

  /// Called once before the run: the place to read `bridge.lifecycle.reports`, or to set `idleExit`.
  open func willRun(_ bridge: LifecycleBridge) {}

  /// Runs the listeners to the end and returns the exit status of `LifecycleBridge.run()`.
  ///
  /// - Throws: as `LifecycleBridge.init` does.
  public final func run() async throws(LifecycleError) -> Int32 {
    let listeners = listeners
    let bridge = try LifecycleBridge(timeouts: timeouts) { listeners }
    willRun(bridge)
    return await bridge.run()
  }

  /// Runs the application to its end, and exits the process.
  public nonisolated(nonsending) static func main() async {
    do {
      let application = Self()
      let (listeners, timeouts) = (application.listeners, application.timeouts)
      let bridge = try LifecycleBridge(timeouts: timeouts) { listeners }
      application.willRun(bridge)
      exit(await bridge.runUntilExit())
    } catch {
      ApplicationFailure.exit(String(describing: Self.self), error)
    }
  }
}
