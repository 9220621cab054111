internal import Glibc
public import Mediator

/// A whole daemon as one type: `@main struct Server: LifecycleApplication { … }`.
///
/// `main()` makes it, claims the signals, runs its listeners and exits with the status of `LifecycleBridge.run()`.
public protocol LifecycleApplication: Sendable {
  /// Made before signals are claimed; a throw is written to standard error and ends the process with 69.
  init() throws
  /// Read once.
  @ListenerBuilder var listeners: [ListenerEntry] { get }
  /// How long a start, a reload and a stop may take; the defaults of `LifecycleTimeouts` unless it says otherwise.
  var timeouts: LifecycleTimeouts { get }
  /// Called once before the run: the place to read `bridge.lifecycle.reports`, or to set `idleExit`.
  func willRun(_ bridge: LifecycleBridge)
}

extension LifecycleApplication {
  public var timeouts: LifecycleTimeouts { LifecycleTimeouts() }

  public func willRun(_ bridge: LifecycleBridge) {}

  /// Runs the application to its end, and exits the process.
  public nonisolated(nonsending) static func main() async {
    do {
      let application = try Self()
      let bridge = try LifecycleBridge(timeouts: application.timeouts) { application.listeners }
      application.willRun(bridge)
      exit(await bridge.runUntilExit())
    } catch {
      ApplicationFailure.exit(String(describing: Self.self), error)
    }
  }
}

enum ApplicationFailure {
  static func exit(_ name: String, _ error: any Error) -> Never {
    let line = Array("\(name): \(error)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    Glibc.exit(69)
  }
}
