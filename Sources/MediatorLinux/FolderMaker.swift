/// Folders that are made when they are missing.
internal import Glibc

package enum FolderMaker {
  /// Makes the folder, and those above it that are missing, for their owner alone. What is there stays as it is.
  ///
  /// Fails with what mkdir(2) says.
  package static func make(_ path: String, mode: UInt32 = 0o700) throws(LinuxError) {
    guard unsafe mkdir(path, mode) != 0, errno != EEXIST else { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw LinuxError("mkdir", errno)
    }
    try make(String(path[..<slash]), mode: mode)
    guard unsafe mkdir(path, mode) == 0 || errno == EEXIST else { throw LinuxError("mkdir", errno) }
  }
}
