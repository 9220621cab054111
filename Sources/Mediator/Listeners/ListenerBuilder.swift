/// Lists listeners and entries, one per line, with `if`, `for` and `switch` where needed.
@resultBuilder public enum ListenerBuilder {
  public static func buildExpression(_ listener: some LifecycleListener) -> [ListenerEntry] {
    [ListenerEntry(listener)]
  }
  public static func buildExpression(_ listener: any LifecycleListener) -> [ListenerEntry] {
    [ListenerEntry(listener)]
  }
  public static func buildExpression(_ entry: ListenerEntry) -> [ListenerEntry] { [entry] }
  public static func buildExpression(_ entries: [ListenerEntry]) -> [ListenerEntry] { entries }
  public static func buildBlock(_ parts: [ListenerEntry]...) -> [ListenerEntry] { parts.flatMap { $0 } }
  public static func buildOptional(_ part: [ListenerEntry]?) -> [ListenerEntry] { part ?? [] }
  public static func buildEither(first: [ListenerEntry]) -> [ListenerEntry] { first }
  public static func buildEither(second: [ListenerEntry]) -> [ListenerEntry] { second }
  public static func buildArray(_ parts: [[ListenerEntry]]) -> [ListenerEntry] { parts.flatMap { $0 } }
}
