/// The sockets that the manager opened for this process (`sd_listen_fds_with_names(3)`).
internal import CLibsystemd
internal import Glibc

package enum InheritedSockets {
  /// In the order in which they were passed, sockets and what the manager's store gives back; they are closed on exec
  /// from here on. Empty without a manager that passes any.
  package static func all() -> [(name: String, descriptor: Int32)] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = nil
    let count = unsafe sd_listen_fds_with_names(0, &names)
    defer { unsafe free(names) }
    guard count > 0 else { return [] }
    return (0..<Int(count)).map { index in
      let name = unsafe names?[index]
      // What has no name is "unknown", as systemd itself calls it.
      let text = unsafe name.map { unsafe String(cString: $0) } ?? "unknown"
      unsafe free(name)
      return (text, Int32(index) + SD_LISTEN_FDS_START)
    }
  }
}
