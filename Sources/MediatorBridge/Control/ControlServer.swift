internal import Foundation
internal import Glibc
public import Mediator
internal import MediatorLinux

/// A socket on which others ask a running daemon how it is, and steer it, in Varlink (varlink.org).
///
/// `varlinkctl` of systemd and the commands of `lifecycled` are clients: `varlinkctl introspect PATH
/// io.lifecycled.Control` prints the interface. Root and the daemon's own user may steer, by their credentials
/// (`SO_PEERCRED` in `unix(7)`). It serves from here to the end of the run, a start and a stop included.
public struct ControlServer: Sendable {
  /// Who may read the state, beside root and the daemon's own user, who alone may steer.
  public enum Readers: String, Hashable, Sendable, CaseIterable {
    /// Nobody: the socket has mode 0600.
    case owner
    /// The daemon's own group: the socket has mode 0660.
    case group
    /// Everybody who reaches the folder: the socket has mode 0666.
    case everybody

    var socketMode: UInt32 {
      switch self {
      case .owner: 0o600
      case .group: 0o660
      case .everybody: 0o666
      }
    }

    var folderMode: UInt32 {
      switch self {
      case .owner: 0o700
      case .group: 0o750
      case .everybody: 0o755
      }
    }
  }

  /// Where the socket is; it goes away at the end of the run.
  public let path: String

  /// Makes the socket, and its folder if there is none; call it once, before the run, so that the start can be seen.
  ///
  /// It also has the listeners' calls measured (`measuresDurations`).
  ///
  /// - Parameters:
  ///   - bridge: whose lifecycle it tells of; a bridge has one socket at most.
  ///   - path: an absolute path of at most 103 bytes, best in a folder of its own. A socket that lies there is replaced
  ///     if nobody serves it any more.
  ///   - readers: who may read, beside those who may steer.
  ///   - version: what `GetInfo` tells of the program.
  /// - Throws: `.system`, for instance with EADDRINUSE when another process serves that socket.
  public init(
    for bridge: LifecycleBridge, at path: String, readers: Readers = .owner, version: String = ""
  ) throws(LifecycleError) {
    let product = ProgramName.called
    try self.init(for: bridge, at: path, readers: readers, facts: ControlFacts(product: product, version: version))
  }

  package init(
    for bridge: LifecycleBridge, at path: String, readers: Readers, facts: ControlFacts
  ) throws(LifecycleError) {
    self.path = path
    guard path.hasPrefix("/"), path != "/" else { throw Self.failure(path, LinuxError("bind", EINVAL)) }
    do throws(LinuxError) {
      let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
      if !folder.isEmpty { try FolderMaker.make(String(folder), mode: readers.folderMode) }
      let listener = try StreamListener(path: path, mode: readers.socketMode, backlog: Int32(ControlPeers.Limit.queue))
      bridge.mediator.measuresDurations = true
      try bridge.serve(listener, facts: facts)
    } catch {
      throw Self.failure(path, error)
    }
  }

  private static func failure(_ path: String, _ error: LinuxError) -> LifecycleError {
    let (what, advice) =
      switch error.code {
      case EADDRINUSE: ("another process serves it", "stop that process, or choose another path")
      case EEXIST: ("something lies there that is no socket", "take it away, or choose another path")
      case EINVAL: ("the path is not absolute", "begin it with /")
      case ENAMETOOLONG: ("the path is too long", "choose one of at most 103 bytes")
      case EBUSY: ("this bridge has a control socket already", "one is enough")
      default: (LinuxError.text(error.code), "see that its folder may be written to, or choose another path")
      }
    return LifecycleError(
      .system, message: "there is no control socket \(path): \(what)", advice: advice, errno: error.code)
  }
}
