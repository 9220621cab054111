/// The sockets that the manager opened for this process (`sd_listen_fds_with_names(3)`).
internal import CLibsystemd
internal import Glibc

package enum InheritedSockets {
  /// Descriptors by name, in order; they are closed on exec from here on. Empty without a manager that passes any.
  package static func byName() -> [String: [Int32]] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = nil
    let count = unsafe sd_listen_fds_with_names(0, &names)
    defer { unsafe free(names) }
    guard count > 0 else { return [:] }
    var sockets: [String: [Int32]] = [:]
    for index in 0..<Int(count) {
      let name = unsafe names?[index]
      // What has no name is "unknown", as systemd itself calls it.
      let key = unsafe name.map { unsafe String(cString: $0) } ?? "unknown"
      sockets[key, default: []].append(Int32(index) + SD_LISTEN_FDS_START)
      unsafe free(name)
    }
    return sockets
  }
}
