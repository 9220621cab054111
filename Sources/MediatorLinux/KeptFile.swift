/// A file of ours that is replaced as a whole: at any moment the old one or the new one is there, also after a crash.
internal import Glibc

package struct KeptFile: Hashable, Sendable {
  package let folder: String
  package let name: String

  package init(folder: String, name: String) {
    self.folder = folder
    self.name = name
  }

  package var path: String { "\(folder)/\(name)" }

  /// nil when there is none.
  ///
  /// Fails with what open(2) and read(2) say, ELOOP for a symbolic link, EPERM for the file of somebody else or one
  /// that others may write, EINVAL for what is no file, EFBIG for more than `limit` bytes.
  package func read(limit: Int) throws(LinuxError) -> [UInt8]? {
    let folder = try openFolder()
    defer { _ = close(folder) }
    let file = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else { throw LinuxError("open", errno) }
    defer { _ = close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw LinuxError("fstat", errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw LinuxError("open", EINVAL) }
    guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
      throw LinuxError("open", EPERM)
    }
    return try SmallFile.bytes(of: file, limit: limit)
  }

  /// Writes beside it, for the owner alone, syncs, and puts that in its place; fails with what those calls say.
  package func replace(_ bytes: [UInt8]) throws(LinuxError) {
    let folder = try openFolder()
    defer { _ = close(folder) }
    let beside = ".\(name).new"
    // What an earlier run has left half-way.
    _ = unsafe unlinkat(folder, beside, 0)
    let file = unsafe openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw LinuxError("open", errno) }
    do throws(LinuxError) {
      defer { _ = close(file) }
      try Self.write(bytes, to: file)
      guard fsync(file) == 0 else { throw LinuxError("fsync", errno) }
    } catch {
      _ = unsafe unlinkat(folder, beside, 0)
      throw error
    }
    guard unsafe renameat(folder, beside, folder, name) == 0 else { throw LinuxError("rename", errno) }
    // A file system that syncs no folders says EINVAL (fsync(2)); the new file is in its place.
    guard fsync(folder) == 0 || errno == EINVAL else { throw LinuxError("fsync", errno) }
  }

  package var asidePath: String { "\(path).bad" }

  /// Renames what cannot be used, whatever it is, so that somebody may look at it.
  package func setAside() throws(LinuxError) {
    guard unsafe rename(path, asidePath) == 0 else { throw LinuxError("rename", errno) }
  }

  /// A lock beside the file, for one process at a time, as long as it is held.
  ///
  /// Fails with EWOULDBLOCK when somebody else has it, and with what open(2) and flock(2) say.
  package func lock() throws(LinuxError) -> HeldDescriptors {
    let folder = try openFolder()
    defer { _ = close(folder) }
    let file = unsafe openat(folder, ".\(name).lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw LinuxError("open", errno) }
    let held = HeldDescriptors([file])
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else { throw LinuxError("flock", errno) }
    return held
  }

  private func openFolder() throws(LinuxError) -> Int32 {
    guard !folder.utf8.contains(0), !name.utf8.contains(0) else { throw LinuxError("open", EINVAL) }
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LinuxError("open", errno) }
    return descriptor
  }

  private static func write(_ bytes: [UInt8], to file: Int32) throws(LinuxError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw LinuxError("write", errno) }
      rest = rest.dropFirst(count)
    }
  }
}
