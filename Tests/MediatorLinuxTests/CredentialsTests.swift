/// Users and groups of this machine, and becoming one of them in a process of its own.
import Glibc
import MediatorLinux
import Testing

@Suite("Credentials", .timeLimit(.minutes(5)))
struct CredentialsTests {
  @Test("root is found by name and by number")
  func root() throws {
    let user = try #require(try Credentials.user(named: "root"))
    #expect(user.uid == 0 && user.gid == 0 && user.home == "/root" && user.shell.hasPrefix("/"))
    #expect(try Credentials.user(numbered: 0) == user)
    #expect(try Credentials.group(named: "root") == 0)
  }

  @Test("who does not exist is nil")
  func nobody() throws {
    #expect(try Credentials.user(named: "no-such-user-here") == nil)
    #expect(try Credentials.user(numbered: 4_000_000_000) == nil)
    #expect(try Credentials.group(named: "no-such-group-here") == nil)
  }

  @Test("a process becomes another user, and cannot go back", .enabled(if: getuid() == 0, "needs root"))
  func become() async {
    await #expect(processExitsWith: .exitCode(65)) {
      let user = try #require(try Credentials.user(named: "nobody"))
      try Credentials.initializeGroups(of: user.name, and: user.gid)
      try Credentials.setGroup(user.gid)
      try Credentials.setUser(user.uid)
      #expect(throws: LinuxError("setuid", EPERM)) { try Credentials.setUser(0) }
      #expect(throws: LinuxError("setgid", EPERM)) { try Credentials.setGroup(0) }
      #expect(throws: LinuxError("initgroups", EPERM)) { try Credentials.initializeGroups(of: "root", and: 0) }
      // The exit code is the user's own number cut to a byte, plus what the environment says.
      try Credentials.execute(
        "/bin/sh",
        arguments: ["sh", "-c", "test $(id -u) = \(user.uid) && test \"$(id -G)\" = \(user.gid) && exit $CODE"],
        environment: ["CODE=65", "PATH=/usr/bin:/bin"])
    }
  }

  @Test("a program that cannot be executed is an error that says why")
  func cannotExecute() {
    #expect(throws: LinuxError("execve", ENOENT)) {
      try Credentials.execute("/nonexistent", arguments: ["x"], environment: [])
    }
    #expect(throws: LinuxError("execve", EACCES)) {
      try Credentials.execute("/etc/passwd", arguments: ["x"], environment: [])
    }
    #expect(throws: LinuxError("execve", EINVAL)) {
      try Credentials.execute("/bin/true", arguments: ["a\0b"], environment: [])
    }
  }
}
