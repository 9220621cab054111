/// What sd-bus calls back: it owns this by a slot, until that is freed.
internal import CLibsystemd

final class BusHandler: Sendable {
  private let answer: @Sendable (BusMessage, HeldDescriptors?) -> BusReply?
  /// Those of anybody else's messages are closed with them: whoever sends many must not fill our table.
  private let takesDescriptor: Bool

  init(
    takesDescriptor: Bool = false, answer: @escaping @Sendable (BusMessage, HeldDescriptors?) -> BusReply?
  ) {
    (self.answer, self.takesDescriptor) = (answer, takesDescriptor)
  }

  @unsafe private static func answer(to message: OpaquePointer, of handler: UnsafeMutableRawPointer) -> BusReply? {
    let handler = unsafe Unmanaged<BusHandler>.fromOpaque(handler).takeUnretainedValue()
    let descriptor = unsafe handler.takesDescriptor ? BusMessage.descriptor(of: message) : nil
    return unsafe handler.answer(BusMessage(message), descriptor)
  }

  /// For a message that nobody answers.
  static let told: sd_bus_message_handler_t = { message, handler, _ in
    guard let message = unsafe message, let handler = unsafe handler else { return 0 }
    _ = unsafe answer(to: message, of: handler)
    return 0
  }

  /// For a call; what is not known here sd-bus answers itself.
  static let called: sd_bus_message_handler_t = { message, handler, _ in
    guard let message = unsafe message, let handler = unsafe handler else { return 0 }
    guard let answer = unsafe answer(to: message, of: handler) else { return 0 }
    if unsafe sd_bus_message_get_expect_reply(message) == 0 { return 1 }
    let result = unsafe send(answer, to: message)
    return result < 0 ? result : 1
  }

  static let release: sd_bus_destroy_t = { handler in
    if let handler = unsafe handler { unsafe Unmanaged<BusHandler>.fromOpaque(handler).release() }
  }

  @unsafe private static func send(_ answer: BusReply, to call: OpaquePointer) -> Int32 {
    switch answer {
    case .error(let name, let message):
      return unsafe name.withCString { name in
        unsafe message.withCString { message in
          var error = unsafe sd_bus_error(name: name, message: message, _need_free: 0)
          return unsafe sd_bus_reply_method_error(call, &error)
        }
      }
    case .values(let values):
      var reply: OpaquePointer?
      defer { unsafe sd_bus_message_unref(reply) }
      var result = unsafe sd_bus_message_new_method_return(call, &reply)
      guard result >= 0, let reply = unsafe reply else { return result }
      for value in values where result >= 0 { result = unsafe value.append(to: reply) }
      return unsafe result < 0 ? result : sd_bus_send(nil, reply, nil)
    }
  }
}
