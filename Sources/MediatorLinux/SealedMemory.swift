/// Memory behind a descriptor that nobody can change any more: a sealed memfd (`memfd_create(2)`, `F_ADD_SEALS`).
internal import CMediatorLinux
internal import Glibc

package enum SealedMemory {
  /// Closed on exec; sealed against writing, growing, shrinking and other seals.
  package static func make(_ name: String, _ bytes: [UInt8]) throws(LinuxError) -> Int32 {
    let descriptor = unsafe mediator_sealed_memory(name, bytes, bytes.count)
    guard descriptor >= 0 else { throw LinuxError("memfd_create", -descriptor) }
    return descriptor
  }

  /// All bytes, wherever the descriptor stands.
  ///
  /// Fails with EINVAL for what is no sealed memory, EFBIG for more than `limit` bytes.
  package static func read(_ descriptor: Int32, limit: Int) throws(LinuxError) -> [UInt8] {
    guard mediator_is_sealed(descriptor) else { throw LinuxError("sealed memory", EINVAL) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw LinuxError("fstat", errno) }
    guard status.st_size <= limit else { throw LinuxError("read", EFBIG) }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < bytes.count {
      let more = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress! + count, $0.count - count, off_t(count))
      }
      if more < 0, errno == EINTR { continue }
      guard more > 0 else { throw LinuxError("pread", more < 0 ? errno : EIO) }
      count += more
    }
    return bytes
  }
}
