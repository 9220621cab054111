/// A file of /proc/PID, which may vanish at any moment.
internal import Glibc

enum ProcessFile {
  /// nil when the process is gone, or does not let us read it. What is beyond the limit is left out.
  static func read(_ name: String, of pid: Int32, limit: Int) -> [UInt8]? {
    let descriptor = unsafe open("/proc/\(pid)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let room = min(limit - bytes.count, 64 * 1024)
      var count = 0
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
        repeat { count = unsafe Glibc.read(descriptor, buffer.baseAddress, room) } while count < 0 && errno == EINTR
        filled = max(count, 0)
      }
      if count < 0 { return nil }
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
      if count == 0 { break }
    }
    return bytes
  }
}
