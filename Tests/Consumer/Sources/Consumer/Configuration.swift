/// A number that is read anew with each reload.
import Mediator
import MediatorBridge

public actor Configuration: ReloadListener {
  public struct NotANumber: Error, CustomStringConvertible {
    public let description: String
  }

  private let read: @Sendable () -> String
  private var replaced = 0
  public private(set) var value = 0

  public init(read: @escaping @Sendable () -> String) { self.read = read }

  public func didFinishLaunching(_ transition: LifecycleTransition) async throws { value = try parsed() }
  public func prepareReload(_ transition: LifecycleTransition) async throws -> Int { try parsed() }
  public func reload(_ prepared: Int, _ transition: LifecycleTransition) { (replaced, value) = (value, prepared) }
  public func revertReload(_ transition: LifecycleTransition) { value = replaced }

  private func parsed() throws -> Int {
    let text = read()
    guard let number = Int(text) else { throw NotANumber(description: "'\(text)' is no number") }
    return number
  }
}

/// A bridge whose signals are the host's: what a program does that has signal handlers of its own.
public func hostedBridge(@ListenerBuilder _ listeners: () -> [ListenerEntry]) throws(LifecycleError) -> LifecycleBridge
{
  try LifecycleBridge(signals: .host, listeners)
}
