/// How scarce memory is, as pressure stall information tells it (`Documentation/accounting/psi.rst` of Linux).
public struct MemoryPressure: Hashable, Sendable {
  /// How bad it is.
  public enum Level: String, Hashable, Sendable, CaseIterable {
    /// Some tasks wait for memory: give back what is only convenient.
    case some
    /// All tasks wait for memory: give back whatever can be had.
    case full
  }

  /// How much time is lost by waiting for memory.
  public struct Stall: Hashable, Sendable {
    /// The share of the last 10 seconds, in percent.
    public var average10: Double
    /// The share of the last 60 seconds, in percent.
    public var average60: Double
    /// The share of the last 300 seconds, in percent.
    public var average300: Double
    /// All that was ever lost, to the microsecond.
    public var total: Duration

    /// Describes a stall, for instance in a test.
    public init(average10: Double = 0, average60: Double = 0, average300: Double = 0, total: Duration = .zero) {
      self.average10 = average10
      self.average60 = average60
      self.average300 = average300
      self.total = total
    }
  }

  /// How much there is to give back.
  public var level: Level
  /// The folder of the control group whose pressure it is; empty for the whole machine.
  public var cgroup: String
  /// What the control group uses, in bytes, if it is known.
  public var usedBytes: UInt64?
  /// The time in which at least one task waited, if it is known.
  public var some: Stall?
  /// The time in which all tasks waited at once, if it is known.
  public var full: Stall?

  /// Describes a pressure, for instance in a test.
  public init(
    level: Level, cgroup: String = "", usedBytes: UInt64? = nil, some: Stall? = nil, full: Stall? = nil
  ) {
    self.level = level
    self.cgroup = cgroup
    self.usedBytes = usedBytes
    self.some = some
    self.full = full
  }
}
