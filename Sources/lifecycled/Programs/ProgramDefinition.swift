/// What a program is and how it is looked after, whatever file or command line said so; two equal definitions are the
/// same program to a reload.
struct ProgramDefinition: Sendable, Equatable {
  /// Whose messages count, as `NotifyAccess=` in systemd.service(5).
  enum NotifyAccess: String, Sendable, CaseIterable {
    case main, all, none
  }

  /// After which ends it is started again, as `Restart=` in systemd.service(5).
  enum Restart: String, Sendable, CaseIterable {
    case no
    case onSuccess = "on-success"
    case onFailure = "on-failure"
    case onAbnormal = "on-abnormal"
    case always
  }

  /// What a reload means to it.
  enum Reload: Sendable, Equatable {
    /// Nothing: it goes on.
    case nothing
    case signal(Int32)
    case commands([HookCommand])
    /// A new copy on the same sockets; the old one stops when the new one is ready.
    case overlap
  }

  /// The file name with its suffix, which gives the order; of `lifecycled run` the plain name.
  var name: String
  /// From a file it is a `.configured` one, from a command line a `.typed` one.
  var command: HookCommand
  var user: String?
  var group: String?
  var workingDirectory: String?
  /// A later one of the same name wins.
  var environment: [EnvironmentVariable] = []
  /// Read when the program is started, after `environment`, in this order.
  var environmentFiles: [HookDefinition.EnvironmentSource] = []

  /// nil: as soon as it runs.
  var readiness: ProgramCheck?
  /// From its start to its readiness.
  var readyTimeout = TimeSpan.seconds(60)
  /// nil: main with `Ready=notify` or `Health=notify`, none otherwise.
  var notifyAccess: NotifyAccess?

  /// nil: it is well as long as it runs.
  var health: ProgramCheck?
  /// From the beginning of one check to that of the next; with `Health=notify` the longest time between two WATCHDOG=1.
  var healthInterval = TimeSpan.seconds(10)
  /// How many checks in a row have to fail.
  var healthThreshold = 3
  /// With `Health=notify`: one that never sends WATCHDOG=1 is not expected to.
  var pingsOnlyIfItBegan = false

  var reload = Reload.nothing
  var stopSignal: Int32 = 15
  /// Run before the signal.
  var stopCommands: [HookCommand] = []
  /// From the stop signal to SIGKILL.
  var stopTimeout = TimeSpan.seconds(10)

  var restart = Restart.no
  /// Before the first restart in a row; it doubles with each of them up to `longestRestartDelay`.
  var restartDelay = TimeSpan.microseconds(100_000)
  var longestRestartDelay = TimeSpan.seconds(30)
  /// How many starts there may be in a row.
  var startLimit = 5
  /// How long it has to be ready until the row has ended.
  var startLimitInterval = TimeSpan.seconds(10)

  var isRequired = true
  /// What `After=` names, as written: hooks and programs, with or without suffix. The configuration has the order.
  var after: [String] = []
  /// Names of the sockets that it gets from those that the manager passed.
  var sockets: [String] = []
}
