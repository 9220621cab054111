/// What came over a bus: a call, a signal or an answer, read whole (`sd_bus_message_read(3)`).
internal import CLibsystemd
internal import Glibc

package struct BusMessage: Hashable, Sendable {
  /// The unique name of who sent it, as the bus itself says, such as ":1.7".
  package var sender = ""
  package var path = ""
  package var interface = ""
  package var member = ""
  /// The name of the error that an answer is, such as "org.freedesktop.DBus.Error.AccessDenied"; nil for none.
  package var error: String?
  package var values: [BusValue] = []

  package init(path: String = "", interface: String = "", member: String = "", values: [BusValue] = []) {
    (self.path, self.interface, self.member, self.values) = (path, interface, member, values)
  }

  @unsafe init(_ message: OpaquePointer) {
    sender = unsafe Self.text(sd_bus_message_get_sender(message))
    path = unsafe Self.text(sd_bus_message_get_path(message))
    interface = unsafe Self.text(sd_bus_message_get_interface(message))
    member = unsafe Self.text(sd_bus_message_get_member(message))
    if let error = unsafe sd_bus_message_get_error(message) { self.error = unsafe Self.text(error.pointee.name) }
    while let value = unsafe BusValue(readingFrom: message) { values.append(value) }
  }

  /// A copy of the descriptor that is the first value; nil if it is none.
  @unsafe static func descriptor(of message: OpaquePointer) -> HeldDescriptors? {
    var type: CChar = 0
    var descriptor: Int32 = -1
    guard unsafe sd_bus_message_peek_type(message, &type, nil) > 0, type == CChar(UInt8(ascii: "h")),
      unsafe sd_bus_message_read_basic(message, type, &descriptor) > 0
    else { return nil }
    _ = unsafe sd_bus_message_rewind(message, 1)
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    return copy < 0 ? nil : HeldDescriptors([copy])
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    unsafe pointer.map { unsafe String(cString: $0) } ?? ""
  }
}

/// What is answered to a call that somebody sent to us.
package enum BusReply: Hashable, Sendable {
  case values([BusValue])
  /// With the name of the error, such as "org.freedesktop.DBus.Error.InvalidArgs".
  case error(String, message: String)
}
