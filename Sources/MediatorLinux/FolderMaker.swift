/// Folders that are made when they are missing.
internal import Glibc

package enum FolderMaker {
  /// Makes the folder, and those above it that are missing, with that mode, whatever the umask. What is there stays.
  ///
  /// Fails with what mkdir(2) and chmod(2) say.
  package static func make(_ path: String, mode: UInt32 = 0o700) throws(LinuxError) {
    if unsafe mkdir(path, mode) == 0 { return try widen(path, mode) }
    if errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw LinuxError("mkdir", errno)
    }
    try make(String(path[..<slash]), mode: mode)
    if unsafe mkdir(path, mode) == 0 { return try widen(path, mode) }
    guard errno == EEXIST else { throw LinuxError("mkdir", errno) }
  }

  private static func widen(_ path: String, _ mode: UInt32) throws(LinuxError) {
    guard unsafe chmod(path, mode) == 0 else { throw LinuxError("chmod", errno) }
  }
}
