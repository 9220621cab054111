internal import Glibc
internal import MediatorLinux

/// What a socket that the service manager passes has to be; the names are those of systemd.socket(5).
public enum SocketKind: Sendable, CaseIterable {
  /// `ListenStream=`: to be passed to `accept(2)`.
  case streamListener
  /// `ListenStream=` with `Accept=yes`: a connection, accepted already.
  case streamConnection
  /// `ListenDatagram=`.
  case datagram
  /// `ListenSequentialPacket=`.
  case sequentialPacketListener
  /// `ListenFIFO=`.
  case fifo

  func matches(_ descriptor: Int32) -> Bool {
    switch self {
    case .streamListener: Self.isSocket(descriptor, SOCK_STREAM, listens: true)
    case .streamConnection: Self.isSocket(descriptor, SOCK_STREAM, listens: false)
    case .datagram: Self.isSocket(descriptor, SOCK_DGRAM, listens: nil)
    case .sequentialPacketListener: Self.isSocket(descriptor, SOCK_SEQPACKET, listens: true)
    case .fifo: DescriptorKind.isFIFO(descriptor)
    }
  }

  private static func isSocket(_ descriptor: Int32, _ type: __socket_type, listens: Bool?) -> Bool {
    DescriptorKind.isSocket(descriptor, type: Int32(type.rawValue), listens: listens)
  }

  /// For errors: what it should be, and the line of a socket unit that makes it.
  var words: (name: String, line: String) {
    switch self {
    case .streamListener: ("a listening stream socket", "ListenStream=")
    case .streamConnection: ("a stream connection", "ListenStream= and Accept=yes")
    case .datagram: ("a datagram socket", "ListenDatagram=")
    case .sequentialPacketListener: ("a listening sequential packet socket", "ListenSequentialPacket=")
    case .fifo: ("a FIFO", "ListenFIFO=")
    }
  }
}
