import Mediator
import MediatorLinux
import Testing

@testable import lifecycled

@Suite("Control of the log", .timeLimit(.minutes(5)))
struct LogControlTests {
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let ours = BusValue.string("org.freedesktop.LogControl1")

  private let log = EventLog(style: .prefixed, level: .info, descriptor: -1)

  private func ask(_ member: String, _ values: [BusValue], _ interface: String = Self.properties) -> BusReply? {
    LogControl(log).answer(BusMessage(path: LogControl.path, interface: interface, member: member, values: values))
  }

  private func get(_ name: String) -> BusReply? { ask("Get", [Self.ours, .string(name)]) }

  private func set(_ name: String, _ value: String) -> BusReply? {
    ask("Set", [Self.ours, .string(name), .variant(.string(value))])
  }

  private static func error(_ reply: BusReply?) -> String? {
    guard case .error(let name, _) = reply else { return nil }
    return name.split(separator: ".").last.map(String.init)
  }

  @Test("the three properties are read, one by one and all at once")
  func read() {
    #expect(get("LogLevel") == .values([.variant(.string("info"))]))
    #expect(get("LogTarget") == .values([.variant(.string("console"))]))
    #expect(get("SyslogIdentifier") == .values([.variant(.string("lifecycled"))]))
    let all: [String: BusValue] = [
      "LogLevel": .string("info"), "LogTarget": .string("console"), "SyslogIdentifier": .string("lifecycled"),
    ]
    #expect(ask("GetAll", [Self.ours]) == .values([.properties(all)]))
  }

  @Test("level and target are written, and count from then on")
  func write() {
    #expect(set("LogLevel", "debug") == .values([]))
    #expect(log.level == .debug && log.isLogged(.debug))
    #expect(set("LogTarget", "journal") == .values([]))
    #expect(log.target == .journal)
    #expect(set("LogTarget", "null") == .values([]))
    #expect(!log.isLogged(.emerg))
    #expect(set("LogTarget", "auto") == .values([]))
    #expect(log.target != .null)
  }

  @Test("what cannot be is refused by name, and changes nothing")
  func refused() {
    #expect(Self.error(set("LogLevel", "loud")) == "InvalidArgs")
    #expect(Self.error(set("LogTarget", "kmsg")) == "InvalidArgs")
    #expect(Self.error(ask("Set", [Self.ours, .string("LogLevel"), .variant(.number(7))])) == "InvalidArgs")
    #expect(Self.error(set("SyslogIdentifier", "me")) == "PropertyReadOnly")
    #expect(Self.error(get("Other")) == "UnknownProperty")
    #expect(Self.error(ask("Get", [.string("org.example"), .string("LogLevel")])) == "UnknownInterface")
    #expect(ask("Get", [Self.ours]) == nil)
    #expect(ask("Start", [], "org.example") == nil)
    #expect(log.level == .info && log.target == .console)
  }

  @Test("it describes itself")
  func introspection() {
    guard case .values(let values)? = ask("Introspect", [], "org.freedesktop.DBus.Introspectable"),
      let text = values.first?.string
    else {
      Issue.record("no text")
      return
    }
    for name in ["LogLevel", "LogTarget", "SyslogIdentifier"] { #expect(text.contains("name=\"\(name)\"")) }
  }

  @Test(
    "SIGRTMIN+18 has the values of systemd's own services",
    arguments: [
      (0x100, .level(.emerg)), (0x103, .level(.error)), (0x107, .level(.debug)), (0x200, .target(.console)),
      (0x201, .target(.journal)), (0x203, .target(.null)), (0x300, .trim), (0x301, nil), (0, nil), (0x0FF, nil),
      (0x108, nil), (0x202, nil),
      (-1, nil), (.max, nil),
    ] as [(Int, ControlSignal.Command?)])
  func signal(value: Int, expected: ControlSignal.Command?) { #expect(ControlSignal.Command(value: value) == expected) }
}
