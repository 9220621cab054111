/// All abilities that one type can have whatever its kind; `SynchronousListener` stands beside them.
import Foundation
import Mediator

public typealias Everything = HealthChecking & MemoryPressureListener & ReloadListener & RequestListener
  & RunningListener & SceneListener & SecretsListener & SignalListener & SleepListener & StateRestoring
  & StatusReporting & TerminationDeciding & TimeChangeListener

/// What listeners with every ability keep for the next run, name and wait for.
public enum Shared {
  public static let signal = SignalNumber(40)
  public static let kind = "tenant"

  /// Waits until its task is cancelled, as a server does.
  public static func serve() async throws {
    for await _ in AsyncStream<Void>.makeStream().stream {}
    try Task.checkCancellation()
  }
}
