internal import MediatorLinux

/// Answers what is asked of the log over D-Bus, as `org.freedesktop.LogControl1(5)` says.
///
/// Who may write is the policy's affair, which the bus itself keeps.
struct LogControl: Sendable {
  static let path = "/org/freedesktop/LogControl1"
  private static let interface = "org.freedesktop.LogControl1"
  private static let errors = "org.freedesktop.DBus.Error."

  private let log: EventLog

  init(_ log: EventLog) { self.log = log }

  /// nil for what is none of ours.
  func answer(_ call: BusMessage) -> BusReply? {
    let words = call.values.map { $0.string ?? "" }
    switch (call.interface, call.member, words.count) {
    case ("org.freedesktop.DBus.Properties", "Get", 2): return answer(words) { get(words[1]) }
    case ("org.freedesktop.DBus.Properties", "GetAll", 1):
      return answer(words) { .values([.properties(all.mapValues { .string($0) })]) }
    case ("org.freedesktop.DBus.Properties", "Set", 3):
      return answer(words) { set(words[1], call.values[2].variant?.string) }
    case ("org.freedesktop.DBus.Introspectable", "Introspect", 0): return .values([.string(Self.introspection)])
    default: return nil
    }
  }

  private func answer(_ words: [String], _ body: () -> BusReply) -> BusReply {
    if words[0] == Self.interface || words[0].isEmpty { return body() }
    return .error(Self.errors + "UnknownInterface", message: "there is only \(Self.interface) here")
  }

  private var all: [String: String] {
    [
      "LogLevel": log.level.rawValue, "LogTarget": log.target.rawValue,
      "SyslogIdentifier": LogLine.identifier,
    ]
  }

  private func get(_ name: String) -> BusReply {
    guard let value = all[name] else { return unknown(name) }
    return .values([.variant(.string(value))])
  }

  private func set(_ name: String, _ value: String?) -> BusReply {
    switch (name, value) {
    case ("LogLevel", let value?):
      guard let level = try? LogLevel(parsing: value) else { return invalid(name, LogLevel.allCases.map(\.rawValue)) }
      log.limit(to: level)
    case ("LogTarget", let value?):
      guard let target = value == "auto" ? .system() : LogTarget(rawValue: value) else {
        return invalid(name, ["auto"] + LogTarget.allCases.map(\.rawValue))
      }
      log.lead(to: target)
    case ("LogLevel", nil), ("LogTarget", nil): return invalid(name, ["a string"])
    case ("SyslogIdentifier", _):
      return .error(Self.errors + "PropertyReadOnly", message: "\(name) cannot be written")
    default: return unknown(name)
    }
    return .values([])
  }

  private func unknown(_ name: String) -> BusReply {
    .error(Self.errors + "UnknownProperty", message: "there is no property \(Escaped.text(name))")
  }

  private func invalid(_ name: String, _ values: [String]) -> BusReply {
    .error(Self.errors + "InvalidArgs", message: "\(name) is one of \(values.joined(separator: ", "))")
  }

  private static let introspection = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "https://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>
     <interface name="org.freedesktop.DBus.Peer">
      <method name="Ping"/>
      <method name="GetMachineId"><arg type="s" name="machine_uuid" direction="out"/></method>
     </interface>
     <interface name="org.freedesktop.DBus.Introspectable">
      <method name="Introspect"><arg name="xml_data" type="s" direction="out"/></method>
     </interface>
     <interface name="org.freedesktop.DBus.Properties">
      <method name="Get">
       <arg name="interface_name" direction="in" type="s"/><arg name="property_name" direction="in" type="s"/>
       <arg name="value" direction="out" type="v"/>
      </method>
      <method name="GetAll">
       <arg name="interface_name" direction="in" type="s"/><arg name="props" direction="out" type="a{sv}"/>
      </method>
      <method name="Set">
       <arg name="interface_name" direction="in" type="s"/><arg name="property_name" direction="in" type="s"/>
       <arg name="value" direction="in" type="v"/>
      </method>
     </interface>
     <interface name="org.freedesktop.LogControl1">
      <property name="LogLevel" type="s" access="readwrite">
       <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
      </property>
      <property name="LogTarget" type="s" access="readwrite">
       <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
      </property>
      <property name="SyslogIdentifier" type="s" access="read">
       <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
      </property>
     </interface>
    </node>

    """
}
