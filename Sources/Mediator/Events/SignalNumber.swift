/// A POSIX signal by its number; `signal(7)` lists them.
public struct SignalNumber: Hashable, Sendable {
  /// The number, as `kill(2)` takes it.
  public var rawValue: Int32

  /// Names a signal by its number; MediatorBridge has names, such as `.hangup`.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }
}
