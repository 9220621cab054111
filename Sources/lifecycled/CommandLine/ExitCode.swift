/// The exit statuses of `lifecycled`, after sysexits.h; a forced end is 128 plus the signal's number.
enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  /// A running lifecycled has refused what was asked of it, or it has failed.
  case refused = 1
  /// The command line is wrong.
  case usage = 64
  /// The folder that `--config` names is missing or cannot be read.
  case noInput = 66
  /// The start failed, or nobody is there to be asked.
  case unavailable = 69
  /// A fault of lifecycled itself, or a hook that failed while running or stopping.
  case software = 70
  /// The stop ran out of time.
  case temporaryFailure = 75
  /// There is a fault inside the configuration.
  case configuration = 78
}
