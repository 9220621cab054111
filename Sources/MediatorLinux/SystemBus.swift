/// A connection to the system bus on an event loop (`sd-bus(3)`), on which nothing ever waits.
internal import CLibsystemd
internal import Glibc

/// Every method is called on the loop, and every handler too. What is asked for before the bus is there waits for it.
@safe
package final class SystemBus: Sendable {
  /// What is called, and with what.
  package struct Call: Hashable, Sendable {
    package var destination: String
    package var message: BusMessage

    package init(_ destination: String, _ path: String, _ interface: String, _ member: String, _ values: [BusValue]) {
      self.destination = destination
      message = BusMessage(path: path, interface: interface, member: member, values: values)
    }
  }

  private let loop: EventLoop
  // Touched on the loop's own thread alone.
  private nonisolated(unsafe) var bus: OpaquePointer?

  /// Begins to connect, and waits for the bus's socket to appear if it is not there.
  ///
  /// - Parameters:
  ///   - address: of the bus; `$DBUS_SYSTEM_BUS_ADDRESS` or the usual place if nil.
  ///   - lost: called once when the bus has closed the connection, or it could not be made. Answers that are waited for
  ///     come before that, as errors.
  /// - Throws: what sd_bus_start(3) says, for instance EACCES.
  package init(
    on loop: EventLoop, address: String? = nil, lost: @escaping @Sendable () -> Void
  ) throws(LinuxError) {
    loop.checkIsolated()
    self.loop = loop
    var bus: OpaquePointer?
    try Self.check("sd_bus_new", unsafe sd_bus_new(&bus))
    unsafe self.bus = bus
    do throws(LinuxError) {
      try Self.check("sd_bus_set_address", unsafe sd_bus_set_address(bus, address ?? Self.usualAddress))
      try Self.check("sd_bus_set_bus_client", unsafe sd_bus_set_bus_client(bus, 1))
      try Self.check("sd_bus_set_watch_bind", unsafe sd_bus_set_watch_bind(bus, 1))
      try Self.check("sd_bus_attach_event", unsafe loop.attach(bus: bus))
      try Self.check("sd_bus_start", unsafe sd_bus_start(bus))
      try listen(
        from: nil, "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local", "Disconnected", { _ in lost() })
    } catch {
      close()
      throw error
    }
  }

  /// Closes the connection at once; no handler is called any more, and the name is given back.
  package func close() {
    guard let bus = unsafe bus else { return }
    unsafe self.bus = nil
    unsafe sd_bus_detach_event(bus)
    unsafe sd_bus_close(bus)
    unsafe sd_bus_unref(bus)
  }

  private static var usualAddress: String {
    unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS").map { unsafe String(cString: $0) }
      ?? "unix:path=/run/dbus/system_bus_socket"
  }

  private static func check(_ call: String, _ result: Int32) throws(LinuxError) {
    if result < 0 { throw LinuxError(call, -result) }
  }

  // MARK: What goes over it

  /// Calls a method; the answer, which may be an error, comes once unless the connection is closed before.
  package func call(_ call: Call, _ answered: @escaping @Sendable (BusMessage) -> Void) throws(LinuxError) {
    try self.call(call, Self.told(answered))
  }

  /// Calls a method whose answer is a descriptor; nil if that is none.
  package func call(
    takingDescriptor call: Call, _ answered: @escaping @Sendable (BusMessage, HeldDescriptors?) -> Void
  ) throws(LinuxError) {
    let handler = BusHandler(takesDescriptor: true) { message, descriptor in
      answered(message, descriptor)
      return nil
    }
    try self.call(call, handler)
  }

  private func call(_ call: Call, _ handler: BusHandler) throws(LinuxError) {
    var message: OpaquePointer?
    defer { unsafe sd_bus_message_unref(message) }
    let content = call.message
    try Self.check(
      "sd_bus_message_new_method_call",
      unsafe sd_bus_message_new_method_call(
        bus, &message, call.destination, content.path, content.interface, content.member))
    guard let message = unsafe message else { return }
    for value in content.values { try Self.check("sd_bus_message_append", unsafe value.append(to: message)) }
    try unsafe keep(handler, "sd_bus_call_async") {
      unsafe sd_bus_call_async(bus, $0, message, BusHandler.told, $1, 0)
    }
  }

  /// Is told of each such signal from here on.
  ///
  /// Anybody may send a signal to this connection alone, which the bus does not match: where that matters the
  /// message's `sender` says who it was.
  ///
  /// - Parameters:
  ///   - sender: a name on the bus; nil for what sd-bus says itself.
  ///   - argument: what the first value has to be; nil for anything.
  package func listen(
    from sender: String?, _ path: String, _ interface: String, _ member: String, argument: String? = nil,
    _ handler: @escaping @Sendable (BusMessage) -> Void
  ) throws(LinuxError) {
    var rule = "type='signal',path='\(path)',interface='\(interface)',member='\(member)'"
    if let sender { rule += ",sender='\(sender)'" }
    if let argument { rule += ",arg0='\(argument)'" }
    try unsafe keep(Self.told(handler), "sd_bus_add_match_async") {
      unsafe sd_bus_add_match_async(bus, $0, rule, BusHandler.told, nil, $1)
    }
  }

  /// Takes a name, if nobody has it; the answer's first value is 1 when it is ours (RequestName of the D-Bus
  /// specification).
  package func take(name: String, _ answered: @escaping @Sendable (BusMessage) -> Void) throws(LinuxError) {
    try unsafe keep(Self.told(answered), "sd_bus_request_name_async") {
      unsafe sd_bus_request_name_async(bus, $0, name, 0, BusHandler.told, $1)
    }
  }

  /// Answers the calls to an object; nil for one that it does not know.
  package func serve(
    _ path: String, _ answer: @escaping @Sendable (BusMessage) -> BusReply?
  ) throws(LinuxError) {
    try unsafe keep(BusHandler { message, _ in answer(message) }, "sd_bus_add_object") {
      unsafe sd_bus_add_object(bus, $0, path, BusHandler.called, $1)
    }
  }

  private static func told(_ handler: @escaping @Sendable (BusMessage) -> Void) -> BusHandler {
    BusHandler { message, _ in
      handler(message)
      return nil
    }
  }

  /// Has sd-bus own the handler, from where it is called to where it is let go.
  private func keep(
    _ handler: BusHandler, _ call: String,
    _ body: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutableRawPointer) -> Int32
  ) throws(LinuxError) {
    loop.checkIsolated()
    guard unsafe bus != nil else { throw LinuxError(call, ENOTCONN) }
    var slot: OpaquePointer?
    let retained = unsafe Unmanaged.passRetained(handler)
    let result = unsafe body(&slot, retained.toOpaque())
    guard result >= 0 else {
      unsafe retained.release()
      throw LinuxError(call, -result)
    }
    unsafe sd_bus_slot_set_destroy_callback(slot, BusHandler.release)
    unsafe sd_bus_slot_set_floating(slot, 1)
    unsafe sd_bus_slot_unref(slot)
  }
}
