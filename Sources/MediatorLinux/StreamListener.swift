/// A UNIX stream socket at a path, for others to connect to; the path goes with it.
internal import CMediatorLinux
internal import Glibc

package final class StreamListener: Sendable {
  package let path: String
  /// To watch on a loop.
  package let descriptor: Int32
  private let file: BoundFile?

  /// Listens at an absolute path; the socket appears there in one step, with its final mode, when it takes connections.
  ///
  /// One that nobody listens to any more, as connect(2) says with ECONNREFUSED, is replaced. Fails with EADDRINUSE when
  /// somebody listens, EEXIST for what is no socket, EAGAIN while somebody else is about to do the same, and with what
  /// open(2), bind(2) and rename(2) say.
  package init(path: String, mode: UInt32, backlog: Int32 = 128) throws(LinuxError) {
    self.path = path
    // A file that only the owner may open: whoever opens the folder could lock that, and so keep us from the socket.
    let lock = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw LinuxError("open", errno) }
    defer { _ = close(lock) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw LinuxError("flock", errno) }
    try Self.checkVacant(path)
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw LinuxError("socket", errno) }
    do throws(LinuxError) {
      try Self.appear(descriptor, at: path, mode, backlog)
    } catch {
      _ = close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    file = BoundFile(at: path)
  }

  deinit {
    removePath()
    _ = close(descriptor)
  }

  /// Nobody finds it any more, unless somebody else has taken the path over meanwhile.
  package func removePath() {
    file?.remove()
  }

  /// The next connection; nil when there is none. Fails with what accept(2) says: EMFILE, for instance.
  package func accept() throws(LinuxError) -> StreamPeer? {
    var peer = mediator_peer()
    let result = unsafe mediator_accept(descriptor, &peer)
    if result == -EAGAIN || result == -ECONNABORTED { return nil }
    guard result >= 0 else { throw LinuxError("accept", -result) }
    return StreamPeer(descriptor: result, pid: peer.pid, uid: peer.uid)
  }

  private static func checkVacant(_ path: String) throws(LinuxError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw LinuxError("lstat", errno)
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw LinuxError("bind", EEXIST) }
    do throws(LinuxError) {
      _ = try StreamConnection(to: .unix(path), until: MonotonicClock.microseconds(after: .seconds(1)))
    } catch {
      if error.code == ECONNREFUSED || error.code == ENOENT { return }
      // A full queue says EAGAIN: somebody has it, and listens.
      throw error.code == EAGAIN ? LinuxError("bind", EADDRINUSE) : error
    }
    throw LinuxError("bind", EADDRINUSE)
  }

  private static func appear(
    _ descriptor: Int32, at path: String, _ mode: UInt32, _ backlog: Int32
  ) throws(LinuxError) {
    let hidden = path + ".new"
    _ = unsafe unlink(hidden)
    let address = try SocketAddress.unix(hidden)
    // bind(2) gives the file the socket's mode without what umask takes away; so it is never wider than meant.
    guard fchmod(descriptor, mode) == 0 else { throw LinuxError("fchmod", errno) }
    let bound = unsafe address.bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
      return unsafe bind(descriptor, start, socklen_t(bytes.count))
    }
    guard bound == 0 else { throw LinuxError("bind", errno) }
    // Without following a link that somebody may have put there.
    guard unsafe fchmodat(AT_FDCWD, hidden, mode, AT_SYMLINK_NOFOLLOW) == 0, listen(descriptor, backlog) == 0,
      unsafe rename(hidden, path) == 0
    else {
      let code = errno
      _ = unsafe unlink(hidden)
      throw LinuxError("bind", code)
    }
  }
}
