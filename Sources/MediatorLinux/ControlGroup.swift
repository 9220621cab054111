/// One control group of the unified hierarchy (cgroup v2), by its folder.
internal import CMediatorLinux
internal import Glibc

/// What it says and does is cgroups(7)'s; who may use which folder is delegation's, as systemd has it.
package struct ControlGroup: Hashable, Sendable {
  /// Where its files lie.
  package let path: String

  package init(path: String) { self.path = path }

  /// The one that this process is in; nil where the system has none, or does not show it.
  package static func own() -> ControlGroup? {
    guard let groups = try? SmallFile.read("/proc/self/cgroup", limit: 1 << 20),
      let mounts = try? SmallFile.read("/proc/self/mountinfo", limit: 1 << 24)
    else { return nil }
    let path = ControlGroupPath.folder(
      groups: String(decoding: groups, as: UTF8.self), mounts: String(decoding: mounts, as: UTF8.self))
    return path.map(ControlGroup.init(path:))
  }

  /// Whether the manager left it to this process: marked with `user.delegate`, and its processes ours to move.
  package var isDelegated: Bool {
    unsafe mediator_has_attribute(path, "user.delegate", "1") && access(path, W_OK) == 0
      && access(file("cgroup.procs"), W_OK) == 0
  }

  /// Makes a control group in it, or takes the one that is there. Fails with what mkdir(2) says, EINVAL for a name with
  /// a slash.
  package func makeChild(_ name: String) throws(LinuxError) -> ControlGroup {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
      throw LinuxError("mkdir", EINVAL)
    }
    guard unsafe mkdir(file(name), 0o755) == 0 || errno == EEXIST else { throw LinuxError("mkdir", errno) }
    return ControlGroup(path: file(name))
  }

  /// Moves a process, with all of its threads. Fails with what write(2) says: ESRCH when it is gone, EBUSY where inner
  /// groups control resources, EACCES and ENOENT outside of what is delegated.
  package func add(_ pid: Int32) throws(LinuxError) { try write("\(pid)", to: "cgroup.procs") }

  /// Moves this process to a control group in this one, so that this one may control what its other groups use: a group
  /// with processes of its own may not. Returns the new one.
  @discardableResult
  package func moveSelf(to name: String) throws(LinuxError) -> ControlGroup {
    let child = try makeChild(name)
    try child.add(getpid())
    return child
  }

  /// The processes that are in it itself.
  package func processes() throws(LinuxError) -> [Int32] {
    String(decoding: try SmallFile.read(file("cgroup.procs"), limit: 1 << 24), as: UTF8.self)
      .split(separator: "\n").compactMap { Int32($0) }
  }

  /// Whether a process that is no zombie is in it or in any group below.
  package var isPopulated: Bool {
    get throws(LinuxError) {
      String(decoding: try SmallFile.read(file("cgroup.events"), limit: 1 << 16), as: UTF8.self)
        .split(separator: "\n").contains("populated 1")
    }
  }

  /// Ends all that are in it and below with SIGKILL, at once, whoever forks meanwhile. ENOENT before Linux 5.14.
  package func kill() throws(LinuxError) { try write("1", to: "cgroup.kill") }

  /// Removes it with all groups below; the one that is gone is no failure. EBUSY while a process is in one of them.
  package func remove() throws(LinuxError) {
    for name in Folder.names(path) {
      var status = stat()
      // Not through a link, wherever it leads: there are none in a real one.
      guard unsafe lstat(file(name), &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
      try ControlGroup(path: file(name)).remove()
    }
    guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw LinuxError("rmdir", errno) }
  }

  private func file(_ name: String) -> String { "\(path)/\(name)" }

  private func write(_ text: String, to name: String) throws(LinuxError) {
    let descriptor = unsafe open(file(name), O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw LinuxError("open", errno) }
    defer { _ = close(descriptor) }
    let bytes = Array(text.utf8)
    var count: Int
    repeat { count = unsafe Glibc.write(descriptor, bytes, bytes.count) } while count < 0 && errno == EINTR
    guard count >= 0 else { throw LinuxError("write", errno) }
  }
}
