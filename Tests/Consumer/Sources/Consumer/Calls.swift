/// What listeners were told, in order.
import Mediator
import Synchronization

public final class Calls: Sendable {
  private let lines = Mutex<[String]>([])

  public init() {}

  public var all: [String] { lines.withLock { $0 } }

  public func add(_ line: String) { lines.withLock { $0.append(line) } }

  public func add(_ listener: String, _ transition: LifecycleTransition) {
    lines.withLock { $0.append("\(listener).\(transition.event.rawValue)") }
  }
}
