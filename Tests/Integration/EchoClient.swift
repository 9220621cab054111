/// A client of EchoServer on a blocking socket; nothing it waits for takes longer than ten seconds.
import Glibc

final class EchoClient: Sendable {
  /// The call that failed, with its errno.
  struct Refusal: Error, Hashable {
    var call: String
    var code: Int32
  }

  private let descriptor: Int32

  init(port: UInt16) throws(Refusal) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Refusal(call: "socket", code: errno) }
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let failed = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) < 0
      }
    }
    if failed { throw Refusal(call: "connect", code: errno) }
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) throws(Refusal) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Refusal(call: "send", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  func send(_ text: String) throws(Refusal) { try send(Array(text.utf8)) }

  /// No more will be sent; what is on its way still comes back.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// So many bytes, or fewer if the server closes first.
  func receive(_ count: Int) throws(Refusal) -> [UInt8] {
    var received: [UInt8] = []
    while received.count < count {
      let piece = try receiveSome(count - received.count)
      if piece.isEmpty { break }
      received += piece
    }
    return received
  }

  /// Everything until the server closes.
  func receiveAll() throws(Refusal) -> [UInt8] { try receive(.max) }

  /// Without the line end.
  func receiveLine() throws(Refusal) -> String {
    var line: [UInt8] = []
    while let byte = try receiveSome(1).first, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  func echo(_ text: String) throws(Refusal) -> String {
    try send(text)
    return String(decoding: try receive(text.utf8.count), as: UTF8.self)
  }

  /// Whether anything has come that was not read yet.
  var hasSomething: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0
  }

  private func receiveSome(_ limit: Int) throws(Refusal) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: min(limit, 65536))
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw Refusal(call: "recv", code: errno) }
    return Array(buffer.prefix(count))
  }
}
