/// What tells a file from the one that it replaced, without reading it.
internal import Glibc

package struct FileMark: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  package var size: Int64
  /// Of the last change, in nanoseconds.
  package var time: Int64

  /// Of the file at a path, or of what a link leads to. Fails with what stat(2) says.
  package init(_ path: String) throws(LinuxError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw LinuxError("stat", errno) }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    time = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }

  /// Of all files of a folder; those that have gone meanwhile are left out.
  package static func all(in folder: String) -> [String: FileMark] {
    var marks: [String: FileMark] = [:]
    for name in Folder.names(folder) { marks[name] = try? FileMark("\(folder)/\(name)") }
    return marks
  }
}
