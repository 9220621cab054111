import Glibc
import MediatorLinux

/// A listening UNIX stream socket; whoever connects is not accepted, only queued.
final class UnixListener: Sendable {
  let name: String
  private let descriptor: Int32

  /// - Parameter type: another than a stream's, to be the wrong one.
  init?(_ name: String, backlog: Int32 = 16, type: UInt32 = SOCK_STREAM.rawValue) {
    self.name = name
    descriptor = socket(AF_UNIX, Int32(type | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0, let address = try? SocketAddress.unix(name) else { return nil }
    let isBound = address.bytes.withUnsafeBytes {
      bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count)) == 0
    }
    guard isBound, type != SOCK_STREAM.rawValue || listen(descriptor, backlog) == 0 else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if !name.hasPrefix("@") { unlink(name) }
  }

  /// A path, or an abstract name, that nobody else uses.
  static func freshName(_ kind: String = "abstract") -> String {
    let name = "mediator-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    return kind == "path" ? "/tmp/\(name)" : "@\(name)"
  }
}
