/// What counts as a manager and what as a terminal.
import Glibc
import MediatorLinux
import Testing

@Suite("Manager environment")
struct ManagerEnvironmentTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var variables: [String: String] = [:]
    var processID: Int32 = 100
    var terminal = false
    var underManager = false
    var onTerminal = false
  }

  static let rows = [
    Row(testDescription: "nothing set, no terminal"),
    Row(testDescription: "nothing set, a terminal", terminal: true, onTerminal: true),
    Row(testDescription: "a notify socket", variables: ["NOTIFY_SOCKET": "/run/n"], underManager: true),
    Row(
      testDescription: "a notify socket and a terminal", variables: ["NOTIFY_SOCKET": "@n"], terminal: true,
      underManager: true),
    Row(testDescription: "an empty notify socket", variables: ["NOTIFY_SOCKET": ""], terminal: true, onTerminal: true),
    Row(testDescription: "systemd started us", variables: ["SYSTEMD_EXEC_PID": "100"], underManager: true),
    Row(
      testDescription: "systemd started our shell", variables: ["SYSTEMD_EXEC_PID": "99"], terminal: true,
      onTerminal: true),
    Row(testDescription: "a number that is none", variables: ["SYSTEMD_EXEC_PID": "100x"]),
    Row(testDescription: "first process", processID: 1, underManager: true),
    Row(testDescription: "first process on a terminal", processID: 1, terminal: true, underManager: true),
  ]

  @Test("under a manager, on a terminal, or neither", arguments: rows)
  func table(row: Row) {
    let facts = ManagerEnvironment(row.variables, processID: row.processID, standardInputIsTerminal: row.terminal)
    #expect(facts.underManager == row.underManager)
    #expect(facts.onTerminal == row.onTerminal)
  }

  @Test("every variable is taken as it is, nonsense as unset")
  func values() {
    let facts = ManagerEnvironment(
      [
        "WATCHDOG_USEC": "5000000", "WATCHDOG_PID": "7", "LISTEN_PID": "8", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b",
        "NOTIFY_SOCKET": "@x",
      ], processID: 5, standardInputIsTerminal: false)
    #expect(facts.watchdogMicroseconds == 5_000_000 && facts.watchdogPID == 7)
    #expect(facts.listenPID == 8 && facts.listenDescriptors == 2 && facts.listenNames == "a:b")
    #expect(facts.notifySocket == "@x" && facts.systemdExecPID == nil && facts.processID == 5)
    let nonsense = ManagerEnvironment(
      ["WATCHDOG_USEC": "-1", "WATCHDOG_PID": "", "LISTEN_FDS": "two"], processID: 5, standardInputIsTerminal: false)
    #expect(nonsense.watchdogMicroseconds == nil && nonsense.watchdogPID == nil && nonsense.listenDescriptors == nil)
  }

  @Test("a capture shows this process and changes nothing in its environment")
  func capture() async {
    await #expect(processExitsWith: .success) {
      setenv("NOTIFY_SOCKET", "@captured", 1)
      setenv("WATCHDOG_USEC", "1000", 1)
      let facts = ManagerEnvironment.capture()
      #expect(facts.notifySocket == "@captured" && facts.watchdogMicroseconds == 1000)
      #expect(facts.processID == getpid())
      #expect(getenv("NOTIFY_SOCKET").map { String(cString: $0) } == "@captured")
    }
  }
}
