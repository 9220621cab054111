/// Control groups: where ours lies, and, on a system that lets us, what they do.
import Glibc
import MediatorLinux
import Testing

@Suite("Control group", .timeLimit(.minutes(5)))
struct ControlGroupTests {
  private static let unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
  private static let hybrid = """
    31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
    40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd
    41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
    """
  private static let bound = """
    50 23 0:26 /docker/ab\\040c /mnt/a\\134b\\040c rw master:1 - cgroup2 cgroup rw
    51 23 0:26 /other /mnt/other rw - cgroup2 cgroup rw
    """

  @Test(
    "its folder is the mount of version 2 and the path of hierarchy 0",
    arguments: [
      ("0::/system.slice/a.service\n", unified, "/sys/fs/cgroup/system.slice/a.service"),
      ("0::/\n", unified, "/sys/fs/cgroup"),
      ("5:memory:/m\n1:name=systemd:/s\n0::/u\n", hybrid, "/sys/fs/cgroup/unified/u"),
      ("0::/a:b c\n", unified, "/sys/fs/cgroup/a:b c"),
      ("0::/docker/ab c/x\n", bound, "/mnt/a\\b c/x"), ("0::/docker/ab c\n", bound, "/mnt/a\\b c"),
      ("0::/other/y\n", bound, "/mnt/other/y"), ("0::/otherwise\n", bound, nil),
      ("0::/x\n", "30 23 0:26 / / rw - cgroup2 c rw", "/x"), ("0::/\n", "30 23 0:26 / / rw - cgroup2 c rw", "/"),
      ("0::/gone (deleted)\n", unified, nil), ("0::/../up\n", unified, nil),
      ("5:memory:/m\n", hybrid, nil), ("0::/a\n", "31 23 0:28 / /sys/fs/cgroup rw - tmpfs cgroup2 rw\n", nil),
      ("", unified, nil), ("0::/a\n", "", nil), ("0::/a\n", "30 23\n- cgroup2\n", nil), ("0::\n", unified, nil),
    ] as [(String, String, String?)])
  func paths(groups: String, mounts: String, expected: String?) {
    #expect(ControlGroupPath.folder(groups: groups, mounts: mounts) == expected)
  }

  /// A group in ours for one test; nil where there is none, or none that we may change.
  private static func scratch() -> ControlGroup? {
    try? ControlGroup.own()?.makeChild("mediator-test-\(getpid())-\(UInt32.random(in: 0 ... .max))")
  }

  @Test("who is in it is told, and its end takes all of them and those below")
  func life() throws {
    // Without a control group of our own that we may change there is only this to say.
    guard let group = Self.scratch() else { return #expect(ControlGroup.own()?.isDelegated != true) }
    let stage = try ChildTests.Stage()
    #expect(try !group.isPopulated)
    let inner = try group.makeChild("inner").makeChild("most")
    let child = try stage.shell(
      "until grep -q most /proc/$$/cgroup; do sleep 0.01; done; (setsid env -i sleep 1000 >/dev/null 2>&1 &); echo up; "
        + "exec sleep 1000")
    try inner.add(child.processID)
    #expect(eventually { stage.output == "up\n" })
    #expect(try inner.processes().contains(child.processID))
    #expect(try group.isPopulated)
    #expect(throws: LinuxError("rmdir", EBUSY)) { try group.remove() }
    try group.kill()
    #expect(stage.end().status == .signalled(SIGKILL, coreDumped: false))
    #expect(eventually { (try? group.isPopulated) == false })
    #expect(eventually { (try? group.remove()) != nil })
    #expect(throws: LinuxError("stat", ENOENT)) { try group.isPopulated }
    try group.remove()
  }

  @Test("delegation is the manager's mark on it")
  func delegation() throws {
    guard let group = Self.scratch() else { return #expect(ControlGroup.own()?.isDelegated != true) }
    defer { try? group.remove() }
    #expect(!group.isDelegated)
    for (value, expected) in [("0", false), ("1", true), ("11", false)] {
      let stage = try ChildTests.Stage()
      let script = "import os; os.setxattr('\(group.path)', 'user.delegate', b'\(value)')"
      _ = try stage.start(SpawnRequest(executable: "/usr/bin/python3", arguments: ["python3", "-c", script]))
      #expect(stage.end().status == .exited(0), "\(stage.output)")
      #expect(group.isDelegated == expected, "\(value)")
    }
  }

  @Test("this process moves to a group of its own, and is then told to be there")
  func moving() async {
    await #expect(processExitsWith: .success) {
      guard let group = Self.scratch(), let before = ControlGroup.own() else { return }
      let inner = try group.moveSelf(to: "supervisor")
      #expect(inner.path == group.path + "/supervisor")
      #expect(ControlGroup.own() == inner)
      #expect(try inner.processes() == [getpid()])
      try before.add(getpid())
      #expect(ControlGroup.own() == before)
      try group.remove()
    }
  }

  @Test("names that would lead elsewhere are refused", arguments: ["", ".", "..", "a/b", "a\0b"])
  func names(name: String) {
    #expect(throws: LinuxError("mkdir", EINVAL)) { try ControlGroup(path: "/tmp").makeChild(name) }
  }

  @Test("where there is none, every call says so")
  func none() {
    let group = ControlGroup(path: "/nonexistent")
    #expect(!group.isDelegated)
    #expect(throws: LinuxError("open", ENOENT)) { try group.kill() }
    #expect(throws: LinuxError("open", ENOENT)) { try group.add(getpid()) }
    #expect(throws: LinuxError("stat", ENOENT)) { try group.isPopulated }
    #expect(throws: LinuxError("mkdir", ENOENT)) { try group.makeChild("a") }
  }
}
