/// The file of a socket, which may be somebody else's by the time it is to go.
internal import Glibc

struct BoundFile: Equatable, Sendable {
  private let path: String
  private let device: UInt
  private let inode: UInt

  /// What lies there now; nil when nothing does.
  init?(at path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    (self.path, device, inode) = (path, status.st_dev, status.st_ino)
  }

  /// Takes it away, unless another one has taken its place.
  func remove() { if self == BoundFile(at: path) { _ = unsafe unlink(path) } }
}
