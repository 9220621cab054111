/// What kind of thing a descriptor is, as libsystemd tells it (`sd_is_fifo(3)`).
internal import CLibsystemd
internal import Glibc

package enum DescriptorKind {
  /// Of any address family.
  ///
  /// - Parameters:
  ///   - type: `SOCK_STREAM` and the like.
  ///   - listens: nil where a socket of that type cannot listen.
  package static func isSocket(_ descriptor: Int32, type: Int32, listens: Bool?) -> Bool {
    sd_is_socket(descriptor, AF_UNSPEC, type, listens.map { $0 ? 1 : 0 } ?? -1) > 0
  }

  package static func isFIFO(_ descriptor: Int32) -> Bool { sd_is_fifo(descriptor, nil) > 0 }
}
