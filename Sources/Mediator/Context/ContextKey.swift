/// Names a value of a `LifecycleContext` and says its type, and what it is when nobody has set it.
///
/// Two keys are the same if their names and types are.
public struct ContextKey<Value: Sendable>: Sendable {
  /// How the value is called; an own prefix keeps libraries apart.
  public let name: String
  /// What the context answers when nobody has set the value.
  public let defaultValue: Value

  /// Makes a key; keep it in a static constant.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    self.defaultValue = defaultValue
  }
}
