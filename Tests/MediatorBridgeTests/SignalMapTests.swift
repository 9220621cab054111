import Glibc
import Mediator
import Testing

@testable import MediatorBridge

@Suite("What each signal means")
struct SignalMapTests {
  typealias Row = (label: String, number: Int32, daemon: SignalAction, terminal: SignalAction)

  static let rows: [Row] = [
    ("HUP", SIGHUP, .reload, .reload), ("TERM", SIGTERM, .stop, .stop), ("INT", SIGINT, .stop, .stop),
    ("QUIT", SIGQUIT, .stop, .stop), ("RTMIN+3", 37, .stop, .stop),
    ("USR1", SIGUSR1, .pause(.operator), .pause(.operator)), ("USR2", SIGUSR2, .resume(.operator), .resume(.operator)),
    ("TSTP keeps the shell's meaning on a terminal", SIGTSTP, .pause(.jobControl), .default),
    ("CONT keeps the shell's meaning on a terminal", SIGCONT, .resume(.jobControl), .default),
    ("WINCH", SIGWINCH, .ignore, .ignore), ("PIPE", SIGPIPE, .ignore, .ignore), ("RTMIN+18", 52, .ignore, .ignore),
    ("ALRM is left alone", SIGALRM, .default, .default), ("CHLD is left alone", SIGCHLD, .default, .default),
  ]

  @Test("The table, under a manager and on a terminal", arguments: rows)
  func table(row: Row) {
    for (onTerminal, expected) in [(false, row.daemon), (true, row.terminal)] {
      let map = SignalMap(.init(onTerminal: onTerminal))
      let number = SignalNumber(row.number)
      #expect(map.action(for: number, fromKernel: false, canReload: true) == expected, "\(row.label)")
      #expect(map.claimed.contains(number) == (expected != .ignore && expected != .default), "\(row.label)")
      #expect(map.ignored.contains(number) == (expected == .ignore), "\(row.label)")
    }
  }

  @Test(
    "SIGHUP: what it means depends on where we are, who sent it and who listens",
    arguments: [
      (onTerminal: false, fromKernel: false, canReload: true, SignalAction.reload),
      (false, false, false, .reload), (false, true, true, .stop),
      (true, false, true, .reload), (true, false, false, .stop), (true, true, true, .stop),
    ])
  func hangup(onTerminal: Bool, fromKernel: Bool, canReload: Bool, expected: SignalAction) {
    let map = SignalMap(.init(onTerminal: onTerminal))
    #expect(map.action(for: .hangup, fromKernel: fromKernel, canReload: canReload) == expected)
  }

  @Test("A SIGHUP that was ignored at exec stays ignored, whatever a configuration says")
  func nohup() {
    let map = SignalMap(.init(ignoresHangup: true), overriding: [.hangup: .reload])
    #expect(!map.claimed.contains(.hangup))
    #expect(!map.ignored.contains(.hangup))
  }

  @Test("A listener's signal becomes an event where it has no other meaning; exceptions are left alone")
  func named() {
    let map = SignalMap(.init(), named: [SignalNumber(SIGALRM), .terminate], exceptFor: [.interrupt])
    #expect(map.action(for: SignalNumber(SIGALRM), fromKernel: false, canReload: false) == .event)
    #expect(map.action(for: .terminate, fromKernel: false, canReload: false) == .stop)
    #expect(!map.claimed.contains(.interrupt))
  }

  @Test("A configuration goes before the table")
  func overriding() {
    let map = SignalMap(.init(), overriding: [.user1: .event, .hangup: .ignore, .terminate: .default])
    #expect(map.action(for: .user1, fromKernel: false, canReload: false) == .event)
    #expect(map.ignored.contains(.hangup))
    #expect(!map.claimed.contains(.terminate))
  }
}
