/// A regular file that is read at once, if it is not too large.
internal import Glibc

package enum SmallFile {
  /// All bytes of the file.
  ///
  /// Fails with what stat(2), open(2) and read(2) say, EFBIG for more than `limit` bytes, EISDIR for a folder, and
  /// ENODEV for what is no file either: a pipe would be waited for, and a device may have effects.
  package static func read(_ path: String, limit: Int) throws(LinuxError) -> [UInt8] {
    guard !path.utf8.contains(0) else { throw LinuxError("open", EINVAL) }
    var early = stat()
    guard unsafe stat(path, &early) == 0 else { throw LinuxError("stat", errno) }
    try checkKind(early)
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LinuxError("open", errno) }
    defer { _ = close(descriptor) }
    // What lay there may have been replaced.
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw LinuxError("fstat", errno) }
    try checkKind(status)
    return try bytes(of: descriptor, limit: limit)
  }

  private static func checkKind(_ status: stat) throws(LinuxError) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw LinuxError("open", EISDIR)
    default: throw LinuxError("open", ENODEV)
    }
  }

  /// The file may grow while it is read, so its size is not asked for.
  static func bytes(of descriptor: Int32, limit: Int) throws(LinuxError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw LinuxError("read", errno) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      if bytes.count > limit { throw LinuxError("read", EFBIG) }
    }
  }

  /// Whether something lies at the path, of whatever kind; a link counts as what it leads to. Fails with what stat(2)
  /// says.
  package static func look(at path: String) throws(LinuxError) {
    guard !path.utf8.contains(0) else { throw LinuxError("stat", EINVAL) }
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw LinuxError("stat", errno) }
  }
}
