/// What listeners share: how the process was started, and values under typed keys.
///
/// Factories get it, and `LifecycleTransition.context` has it. A test makes its own.
public final class LifecycleContext: Sendable {
  private struct Name: Hashable, Sendable {
    var name: String
    var type: ObjectIdentifier
  }

  /// How and why the process was started.
  public let start: StartInformation
  private let values = Locked<[Name: any Sendable]>([:])

  /// Makes a context without values.
  public init(start: StartInformation = StartInformation()) { self.start = start }

  /// The value under a key, or the key's default when nobody has set it.
  ///
  /// Setting it is seen by everybody at once.
  public subscript<Value: Sendable>(_ key: ContextKey<Value>) -> Value {
    get {
      let stored = values.withLock { $0[Self.name(of: key)] }
      return stored as? Value ?? key.defaultValue
    }
    set {
      // What was there ends outside the lock: its deinit is foreign code.
      let before = values.withLock { values in values.updateValue(newValue, forKey: Self.name(of: key)) }
      withExtendedLifetime(before) {}
    }
  }

  /// Changes a value in one step, which must not call foreign code.
  package func update<Value, Result: Sendable>(_ key: ContextKey<Value>, _ body: (inout Value) -> Result) -> Result {
    values.withLock { values in
      var value = values[Self.name(of: key)] as? Value ?? key.defaultValue
      defer { values[Self.name(of: key)] = value }
      return body(&value)
    }
  }

  private static func name<Value>(of key: ContextKey<Value>) -> Name {
    Name(name: key.name, type: ObjectIdentifier(Value.self))
  }
}
