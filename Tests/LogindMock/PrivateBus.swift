/// A bus of a test's own, with the policy of a system bus but that anybody may own and call everything.
internal import Foundation
internal import MediatorLinux

package final class PrivateBus: Sendable {
  private let folder: MockFolder
  private let process = Guarded<MockProcess?>(nil)

  /// It is not started yet.
  package init() throws { folder = try MockFolder() }

  /// For `DBUS_SYSTEM_BUS_ADDRESS`.
  package var address: String { "unix:path=\(folder.path)/bus" }

  /// There can be connections as soon as `isUp`.
  package func start() throws {
    let types = ["method_call", "signal", "method_return", "error"]
    let sent = types.map { type in
      let isAnswer = type == "method_return" || type == "error"
      return "<allow \(isAnswer ? "send_requested_reply='true' " : "")send_type='\(type)'/>"
    }
    let received = types.map { "<allow receive_type='\($0)'/>" }
    let file = try folder.write(
      "bus.conf",
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><listen>\(address)</listen><auth>EXTERNAL</auth><policy context="default">
      <allow user="*"/><allow own="*"/>\((sent + received).joined())
      </policy></busconfig>
      """)
    let new = try MockProcess(["/usr/bin/dbus-daemon", "--nofork", "--config-file=\(file)", "--print-address=1"])
    process.withLock { $0 = new }
  }

  package var isUp: Bool {
    process.withLock(\.self)?.lines.contains { $0.hasPrefix(address) } ?? false
  }

  /// Connections are lost, and the socket is gone.
  package func stop() {
    let old = process.withLock { process in
      defer { process = nil }
      return process
    }
    old?.end()
    try? FileManager.default.removeItem(atPath: "\(folder.path)/bus")
  }
}
