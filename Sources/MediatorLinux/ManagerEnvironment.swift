/// What the environment said of a service manager when the process looked, once.
internal import Glibc

/// Facts only: nothing here checks whether a manager is really there.
package struct ManagerEnvironment: Hashable, Sendable {
  /// `$NOTIFY_SOCKET`, nil when unset or empty.
  package var notifySocket: String?
  /// `$WATCHDOG_USEC`.
  package var watchdogMicroseconds: UInt64?
  /// `$WATCHDOG_PID`.
  package var watchdogPID: Int32?
  /// `$SYSTEMD_EXEC_PID`.
  package var systemdExecPID: Int32?
  /// `$LISTEN_PID`, `$LISTEN_FDS`, `$LISTEN_FDNAMES`.
  package var listenPID: Int32?
  package var listenDescriptors: Int?
  package var listenNames: String?
  /// `$INVOCATION_ID`.
  package var invocationID: String?
  /// `$MEMORY_PRESSURE_WATCH`, `$MEMORY_PRESSURE_WRITE`.
  package var memoryPressureWatch: String?
  package var memoryPressureWrite: String?
  /// `$CREDENTIALS_DIRECTORY`.
  package var credentialsDirectory: String?
  /// The first folder of `$STATE_DIRECTORY`.
  package var stateDirectory: String?
  /// `$FDSTORE`: how many descriptors the manager keeps; systemd 253 and older do not say.
  package var storedDescriptorsLimit: Int?
  package var processID: Int32
  package var standardInputIsTerminal: Bool

  /// Values that are no numbers count as unset.
  package init(_ variables: [String: String], processID: Int32, standardInputIsTerminal: Bool) {
    func text(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    notifySocket = text("NOTIFY_SOCKET")
    watchdogMicroseconds = text("WATCHDOG_USEC").flatMap { UInt64($0) }
    watchdogPID = text("WATCHDOG_PID").flatMap { Int32($0) }
    systemdExecPID = text("SYSTEMD_EXEC_PID").flatMap { Int32($0) }
    listenPID = text("LISTEN_PID").flatMap { Int32($0) }
    listenDescriptors = text("LISTEN_FDS").flatMap { Int($0) }
    listenNames = text("LISTEN_FDNAMES")
    invocationID = text("INVOCATION_ID")
    memoryPressureWatch = text("MEMORY_PRESSURE_WATCH")
    memoryPressureWrite = text("MEMORY_PRESSURE_WRITE")
    credentialsDirectory = text("CREDENTIALS_DIRECTORY")
    stateDirectory = text("STATE_DIRECTORY").flatMap { $0.split(separator: ":").first.map(String.init) }
    storedDescriptorsLimit = text("FDSTORE").flatMap { Int($0) }
    self.processID = processID
    self.standardInputIsTerminal = standardInputIsTerminal
  }

  /// Of this process, now.
  package static func capture() -> ManagerEnvironment {
    let names = [
      "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "SYSTEMD_EXEC_PID", "LISTEN_PID", "LISTEN_FDS",
      "LISTEN_FDNAMES", "INVOCATION_ID", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
      "CREDENTIALS_DIRECTORY", "STATE_DIRECTORY", "FDSTORE",
    ]
    var variables: [String: String] = [:]
    for name in names { variables[name] = unsafe getenv(name).map { unsafe String(cString: $0) } }
    return ManagerEnvironment(variables, processID: getpid(), standardInputIsTerminal: isatty(STDIN_FILENO) == 1)
  }

  /// A service manager started us, or we are the first process.
  package var underManager: Bool { Self.underManager(self) }

  /// Somebody waits for what we tell of a reload; nobody does where we are just the first process.
  package var hasManager: Bool { notifySocket != nil || systemdExecPID == processID }

  /// Somebody sits before us, and no manager is between.
  package var onTerminal: Bool { Self.onTerminal(self) }

  package static func underManager(_ facts: ManagerEnvironment) -> Bool {
    facts.notifySocket != nil || facts.systemdExecPID == facts.processID || facts.processID == 1
  }

  package static func onTerminal(_ facts: ManagerEnvironment) -> Bool {
    !underManager(facts) && facts.standardInputIsTerminal
  }
}
