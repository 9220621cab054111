/// python3-dbusmock's logind on a bus: it announces what a test wants, and tells which delay locks are held.
internal import Foundation
internal import Glibc
internal import MediatorLinux

package final class MockLogind: Sendable {
  private let folder: MockFolder
  private let process: MockProcess
  private let commands: String

  /// - Parameter patience: `InhibitDelayMaxUSec`.
  package init(on bus: PrivateBus, patience: UInt64 = 60_000_000) throws {
    folder = try MockFolder()
    commands = "\(folder.path)/commands"
    guard mkfifo(commands, 0o600) == 0 else { throw LinuxError("mkfifo", errno) }
    let script = try folder.write("logind.py", Self.script)
    process = try MockProcess(
      ["/usr/bin/python3", script, commands, "\(patience)"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
  }

  package var isThere: Bool { process.lines.contains("there") }

  /// As `what/who-is-asked mode`, in the order in which they were taken.
  package var taken: [String] { process.lines.filter { $0.hasPrefix("lock ") }.map { String($0.dropFirst(5)) } }

  /// How many locks are held.
  package var held: Int { taken.count - process.lines.count { $0 == "unlock" } }

  /// "Sleep true" announces sleep, "Shutdown false" that no shutdown comes, "forge -" has a stranger say to everybody
  /// that it owns logind's name, and that sleep comes. Done when `has(done:)`.
  package func say(_ command: String) throws {
    let fifo = open(commands, O_WRONLY | O_CLOEXEC)
    guard fifo >= 0 else { throw LinuxError("open", errno) }
    defer { close(fifo) }
    let text = Array("\(command)\n".utf8)
    guard write(fifo, text, text.count) == text.count else { throw LinuxError("write", errno) }
  }

  package func has(done command: String) -> Bool { process.lines.contains("done \(command)") }

  /// Everything that it held is let go, and its name is free.
  package func end() { process.end() }

  private static let script = """
    import os, sys, dbus, dbus.bus, dbus.lowlevel, dbus.mainloop.glib, dbusmock
    from gi.repository import GLib
    from dbusmock import mockobject
    LOGIN, PATH = "org.freedesktop.login1", "/org/freedesktop/login1"
    MANAGER, DBUS = LOGIN + ".Manager", "org.freedesktop.DBus"
    ADDRESS = os.environ["DBUS_SYSTEM_BUS_ADDRESS"]

    def say(text): print(text, flush=True)

    class Locks(list):
      def append(self, lock):
        super().append(lock)
        say("lock %s/%s %s" % (lock[0], lock[1], lock[3]))
      def remove(self, lock):
        super().remove(lock)
        say("unlock")

    def forge():
      stranger = dbus.bus.BusConnection(ADDRESS)
      for other in [name for name in bus.list_names() if name.startswith(":")]:
        owned = dbus.lowlevel.SignalMessage("/org/freedesktop/DBus", DBUS, "NameOwnerChanged")
        owned.append(LOGIN, "", stranger.get_unique_name(), signature="sss")
        sleeps = dbus.lowlevel.SignalMessage(PATH, MANAGER, "PrepareForSleep")
        sleeps.append(True, signature="b")
        for message in owned, sleeps:
          message.set_destination(other)
          stranger.send_message(message)
      # What it is answered comes after what it sent.
      stranger.list_names()

    def obey(fifo, condition):
      for line in os.read(fifo, 4096).decode().splitlines():
        what, value = line.split()
        if what == "forge":
          forge()
        else:
          isComing = dbus.Boolean(value == "true")
          mock.UpdateProperties(MANAGER, {"PreparingFor" + what: isComing})
          mock.EmitSignal(MANAGER, "PrepareFor" + what, "b", [isComing])
        say("done " + line)
      return True

    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(ADDRESS)
    # Asked for what is still another's, it waits.
    name = dbus.service.BusName(LOGIN, bus)
    mock = mockobject.DBusMockObject(name, PATH, MANAGER, {}, "/dev/null")
    mockobject.objects[PATH] = mock
    mockobject.inhibitors = Locks()
    mock.AddTemplate("logind", dbus.Dictionary({}, signature="sv"))
    mock.AddProperty(MANAGER, "InhibitDelayMaxUSec", dbus.UInt64(int(sys.argv[2])))
    GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, os.open(sys.argv[1], os.O_RDWR), GLib.IO_IN, obey)
    say("there")
    GLib.MainLoop().run()

    """
}
