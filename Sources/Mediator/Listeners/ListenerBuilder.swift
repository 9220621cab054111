/// Lists listeners and entries, one per line, with `if`, `for` and `switch` where needed.
@resultBuilder public enum ListenerBuilder {
  /// A listener becomes an entry that is required.
  public static func buildExpression(_ listener: some LifecycleListener) -> [ListenerEntry] {
    [ListenerEntry(listener)]
  }
  /// A listener of any type becomes an entry that is required.
  public static func buildExpression(_ listener: any LifecycleListener) -> [ListenerEntry] {
    [ListenerEntry(listener)]
  }
  /// An entry stands with its own policy.
  public static func buildExpression(_ entry: ListenerEntry) -> [ListenerEntry] { [entry] }
  /// A list of entries is taken in as it is.
  public static func buildExpression(_ entries: [ListenerEntry]) -> [ListenerEntry] { entries }
  /// Lines stand one after the other.
  public static func buildBlock(_ parts: [ListenerEntry]...) -> [ListenerEntry] { parts.flatMap { $0 } }
  /// Carries out an `if` without `else`.
  public static func buildOptional(_ part: [ListenerEntry]?) -> [ListenerEntry] { part ?? [] }
  /// Carries out the first branch of an `if` or `switch`.
  public static func buildEither(first: [ListenerEntry]) -> [ListenerEntry] { first }
  /// Carries out the other branch of an `if` or `switch`.
  public static func buildEither(second: [ListenerEntry]) -> [ListenerEntry] { second }
  /// Carries out a `for`.
  public static func buildArray(_ parts: [[ListenerEntry]]) -> [ListenerEntry] { parts.flatMap { $0 } }
}
