/// A POSIX signal by its number; `signal(7)` lists them.
public struct SignalNumber: Hashable, Sendable {
  public var rawValue: Int32

  public init(_ rawValue: Int32) { self.rawValue = rawValue }
}
