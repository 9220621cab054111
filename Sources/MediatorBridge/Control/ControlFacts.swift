/// What a control socket can tell and do beyond the lifecycle: `lifecycled`'s own.
package struct ControlFacts: Sendable {
  /// What a reload has changed, in the words of `Changes` of the interface.
  package struct Changes: Hashable, Sendable {
    package var added: [String]
    package var removed: [String]
    package var changed: [String]
    package var restarted: [String]
    package var needRestart: [String]

    package init(
      added: [String] = [], removed: [String] = [], changed: [String] = [], restarted: [String] = [],
      needRestart: [String] = []
    ) {
      self.added = added
      self.removed = removed
      self.changed = changed
      self.restarted = restarted
      self.needRestart = needRestart
    }
  }

  /// How much is logged, in the words of `LogLevel` of the interface.
  package struct LogLevel: Sendable {
    package var get: @Sendable () -> String
    /// False for a word that is no level.
    package var set: @Sendable (String) -> Bool

    package init(get: @escaping @Sendable () -> String, set: @escaping @Sendable (String) -> Bool) {
      self.get = get
      self.set = set
    }
  }

  package var product: String
  package var version: String
  /// nil where nothing of the kind is kept.
  package var logLevel: LogLevel?
  /// What the reload to this generation has changed; nil when it is not known.
  package var changes: @Sendable (UInt64) -> Changes?
  /// What the process will exit with, where that is not the lifecycle's own.
  package var exitStatus: @Sendable (Int32) -> Int32

  package init(
    product: String, version: String, logLevel: LogLevel? = nil,
    changes: @escaping @Sendable (UInt64) -> Changes? = { _ in nil },
    exitStatus: @escaping @Sendable (Int32) -> Int32 = { $0 }
  ) {
    self.product = product
    self.version = version
    self.logLevel = logLevel
    self.changes = changes
    self.exitStatus = exitStatus
  }
}
