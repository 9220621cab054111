/// How scarce memory is, as pressure stall information tells it (`Documentation/accounting/psi.rst` of Linux).
public struct MemoryPressure: Hashable, Sendable {
  /// How bad it is.
  public enum Level: String, Hashable, Sendable, CaseIterable {
    /// Some tasks wait for memory: give back what is only convenient.
    case some
    /// All tasks wait for memory: give back whatever can be had.
    case full
  }

  /// How much there is to give back.
  public var level: Level
  /// The control group whose pressure it is; empty for the whole machine.
  public var cgroup: String
  /// What the control group uses, in bytes, if it is known.
  public var usedBytes: UInt64?

  /// Describes a pressure, for instance in a test.
  public init(level: Level, cgroup: String = "", usedBytes: UInt64? = nil) {
    self.level = level
    self.cgroup = cgroup
    self.usedBytes = usedBytes
  }
}
