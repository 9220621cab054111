/// Bounds on what is read, so that a wrong folder gives an error instead of filling memory.
struct ConfigurationLimits: Sendable, Equatable {
  /// Bytes in one file.
  var fileSize = 1 << 20
  /// Hooks, programs, settings and drop-ins in all folders together.
  var fileCount = 10_000
}
