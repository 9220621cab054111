/// Where the folder of a process's control group lies, from what /proc says.
///
/// Pure; `/proc/PID/cgroup` as in cgroups(7), `/proc/PID/mountinfo` as in proc(5).
package enum ControlGroupPath {
  /// nil without a unified hierarchy, or when the group lies outside of what is mounted.
  ///
  /// - Parameters:
  ///   - groups: the text of `/proc/self/cgroup`.
  ///   - mounts: the text of `/proc/self/mountinfo`.
  package static func folder(groups: String, mounts: String) -> String? {
    guard let group = unified(in: groups) else { return nil }
    for mount in mounts.split(separator: "\n").compactMap(Mount.init(line:)) {
      guard let rest = relative(group, to: mount.root) else { continue }
      let folder = mount.point == "/" ? rest : mount.point + rest
      return folder.isEmpty ? "/" : folder
    }
    return nil
  }

  /// The path in the line of hierarchy 0; the others are version 1's.
  static func unified(in groups: String) -> String? {
    for line in groups.split(separator: "\n") where line.hasPrefix("0::/") {
      let path = String(line.dropFirst(3))
      // One that was removed, or lies outside of this process's namespace, has no folder here.
      return path.hasSuffix(" (deleted)") || path.split(separator: "/").contains("..") ? nil : path
    }
    return nil
  }

  /// The rest of a path below a folder, "" or with its slash; nil when it does not lie there.
  private static func relative(_ path: String, to root: String) -> String? {
    let path = path == "/" ? "" : path
    if root == "/" { return path }
    guard path == root || path.hasPrefix(root + "/") else { return nil }
    return String(path.dropFirst(root.count))
  }

  private struct Mount {
    var root: String
    var point: String

    /// nil for what is no cgroup2.
    init?(line: Substring) {
      let fields = line.split(separator: " ")
      guard fields.count >= 5, let dash = fields.dropFirst(5).firstIndex(of: "-"), dash + 1 < fields.count,
        fields[dash + 1] == "cgroup2"
      else { return nil }
      (root, point) = (Self.plain(fields[3]), Self.plain(fields[4]))
    }

    /// Blanks and backslashes are written in octal, `\040`.
    private static func plain(_ field: Substring) -> String {
      var bytes: [UInt8] = []
      var rest = Array(field.utf8)[...]
      while let byte = rest.popFirst() {
        let digits = String(decoding: rest.prefix(3), as: UTF8.self)
        if byte == 0x5C, digits.utf8.count == 3, let code = UInt8(digits, radix: 8) {
          bytes.append(code)
          rest = rest.dropFirst(3)
        } else {
          bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
