internal import Glibc

/// `lifecycled unit`: the unit file of systemd for one program under `lifecycled run`.
struct UnitCommand {
  /// How much longer than the program systemd waits, so that lifecycled can say itself what went wrong.
  static let margin: UInt64 = 10

  /// - Parameters:
  ///   - executable: the absolute path of lifecycled.
  ///   - resolve: the absolute path of what was typed, if there is such a program.
  static func lines(
    for options: RunOptions, executable: String, resolve: (HookCommand) -> String?
  ) throws(UsageError) -> [String] {
    let program = options.program
    for case .exec(let command)? in [program.readiness, program.health] { try refuseRelative(command, resolve) }
    try refuseRelative(program.command, resolve)
    let start = program.readiness == nil ? TimeSpan.seconds(3 * margin) : program.readyTimeout.adding(seconds: margin)
    let reload = program.reload == .nothing ? [] : ["ExecReload=" + self.reload(options, executable)]
    let description = program.name.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
    return [
      "[Unit]", "Description=\(description) under lifecycled", "After=network.target", "", "[Service]", "Type=notify",
      "# The program tells lifecycled, and lifecycled tells systemd.", "NotifyAccess=main",
      "ExecStart=" + command(options, executable),
    ] + reload + [
      "# Only lifecycled gets SIGTERM: it stops the program itself. What is left at the end is killed.",
      "KillMode=mixed", "TimeoutStartSec=\(start)",
      "TimeoutStopSec=\(program.stopTimeout.adding(seconds: margin))", "Restart=on-failure",
      "# A wrong command line would be as wrong at the next attempt.",
      "RestartPreventExitStatus=\(ExitCode.usage.rawValue)",
      "# Without it the Swift runtime takes SIGABRT, which is the watchdog's, and SIGQUIT for backtraces.",
      "Environment=SWIFT_BACKTRACE=enable=no", "", "[Install]", "WantedBy=multi-user.target",
    ]
  }

  private static func refuseRelative(_ command: HookCommand, _ resolve: (HookCommand) -> String?) throws(UsageError) {
    if command.program.hasPrefix("/") { return }
    throw UsageError(
      what: "unit: the program \(command.program.quoted) is not an absolute path",
      advice: resolve(command).map { "write \(ShellQuoted.text($0))" } ?? "there is no such program here or in $PATH")
  }

  /// With a control socket `systemctl reload` waits, and fails when the reload does.
  private static func reload(_ options: RunOptions, _ executable: String) -> String {
    guard let control = options.control else { return "/bin/kill -HUP $MAINPID" }
    return "\(UnitQuoted.program(executable)) \(UnitQuoted.argument("--control=\(control)")) reload"
  }

  private static func command(_ options: RunOptions, _ executable: String) -> String {
    let words = arguments(of: options) + ["--", options.program.command.program] + options.program.command.arguments
    return ([UnitQuoted.program(executable), "run"] + words.map(UnitQuoted.argument)).joined(separator: " ")
  }

  /// The options that say something else than the default.
  private static func arguments(of options: RunOptions) -> [String] {
    let program = options.program
    let plain = ProgramDefinition(name: program.name, command: program.command)
    var values: [RunOption: String] = [:]
    values[.ready] = program.readiness?.description
    if program.readyTimeout != plain.readyTimeout { values[.readyTimeout] = program.readyTimeout.description }
    values[.health] = program.health?.description
    if case .signal(let signal) = program.reload { values[.reloadSignal] = SignalName.name(of: signal) }
    if program.stopSignal != plain.stopSignal { values[.stopSignal] = SignalName.name(of: program.stopSignal) }
    if program.stopTimeout != plain.stopTimeout { values[.stopTimeout] = program.stopTimeout.description }
    values[.notifyAccess] = program.notifyAccess?.rawValue
    if program.command.program.split(separator: "/").last.map(String.init) != program.name {
      values[.name] = program.name
    }
    if options.exitStatus != .own { values[.exitStatus] = options.exitStatus.rawValue }
    let own = RunOption.allCases.compactMap { option in values[option].map { "\(option.rawValue)=\($0)" } }
    return own + (options.control.map { ["--control=\($0)"] } ?? [])
      + (options.logLevel.map { ["--log-level=\($0.rawValue)"] } ?? [])
  }
}

// MARK: This process

extension UnitCommand {
  /// Of this program; the bare name if /proc is not there.
  static func executable() -> String { realPath("/proc/self/exe") ?? "lifecycled" }

  /// What a shell here would run; a link stays a link, since its name may be what the program goes by.
  static func resolve(_ command: HookCommand) -> String? {
    let searchPath = unsafe getenv("PATH").map { unsafe String(cString: $0) }
    for path in CommandPath.candidates(for: command, searchPath: searchPath) {
      var status = stat()
      guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, unsafe access(path, X_OK) == 0 else {
        continue
      }
      let name = path.split(separator: "/").last ?? ""
      let folder = String(path.dropLast(name.count))
      guard let real = realPath(folder.isEmpty ? "." : folder) else { continue }
      return real == "/" ? "/\(name)" : "\(real)/\(name)"
    }
    return nil
  }

  private static func realPath(_ path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }
}
