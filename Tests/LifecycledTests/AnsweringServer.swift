import Foundation
import Glibc
import Mediator
import MediatorLinux

/// A TCP server on a thread of its own that reads a request from each connection and sends a prepared answer.
final class AnsweringServer: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let taken: Shared<[String]>

  /// What each connection asked.
  var requests: [String] { taken.withLock(\.self) }

  /// nil where the host has no such network.
  ///
  /// - Parameters:
  ///   - answers: one for each connection, then the last again and again.
  ///   - staysOpen: the connections stay open after the answer.
  init?(_ answers: [[UInt8]], host: String = "127.0.0.1", staysOpen: Bool = false) {
    guard let (descriptor, port) = listeningSocket(host) else { return nil }
    let taken = Shared<[String]>([])
    (self.descriptor, self.port, self.taken) = (descriptor, port, taken)
    Thread.detachNewThread {
      var (count, open): (Int, [Int32]) = (0, [])
      while case let peer = accept(descriptor, nil, nil), peer >= 0 {
        let request = Self.request(from: peer)
        taken.withLock { $0.append(request) }
        Self.send(answers[min(count, answers.count - 1)], to: peer)
        count += 1
        if staysOpen { open.append(peer) } else { close(peer) }
      }
      for descriptor in open + [descriptor] { close(descriptor) }
    }
  }

  convenience init?(_ answers: [String], host: String = "127.0.0.1", staysOpen: Bool = false) {
    self.init(answers.map { Array($0.utf8) }, host: host, staysOpen: staysOpen)
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private static func request(from peer: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n"),
      case let count = recv(peer, &buffer, buffer.count, 0), count > 0
    {
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func send(_ answer: [UInt8], to peer: Int32) {
    var rest = answer[...]
    while !rest.isEmpty,
      case let count = rest.withUnsafeBytes({ Glibc.send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      ),
      count > 0
    {
      rest = rest.dropFirst(count)
    }
  }
}

/// A bound TCP socket and its port; nil where the host has no such network.
///
/// - Parameter backlog: nil to take the port and not to listen.
func listeningSocket(_ host: String = "127.0.0.1", backlog: Int32? = 64) -> (descriptor: Int32, port: UInt16)? {
  guard let address = try? SocketAddress.resolve(host: host, port: 0).first else { return nil }
  let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return nil }
  var bytes = address.bytes
  var size = socklen_t(bytes.count)
  let isBound = bytes.withUnsafeMutableBytes { buffer in
    let start = buffer.assumingMemoryBound(to: sockaddr.self).baseAddress!
    return bind(descriptor, start, size) == 0 && getsockname(descriptor, start, &size) == 0
  }
  guard isBound, backlog.map({ listen(descriptor, $0) == 0 }) ?? true else {
    close(descriptor)
    return nil
  }
  return (descriptor, UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
}
