/// Users, groups, and the calls by which a process becomes one of them.
internal import CMediatorLinux
internal import Glibc

/// For a process that was started only to execute another program; each call changes the whole process.
package enum Credentials {
  package struct User: Hashable, Sendable {
    package var name: String
    package var uid: UInt32
    package var gid: UInt32
    package var home: String
    package var shell: String
  }

  /// nil when there is no such user.
  package static func user(named name: String) throws(LinuxError) -> User? {
    unsafe try user("getpwnam_r") { unsafe getpwnam_r(name, $0, $1, $2, $3) }
  }

  package static func user(numbered uid: UInt32) throws(LinuxError) -> User? {
    unsafe try user("getpwuid_r") { unsafe getpwuid_r(uid, $0, $1, $2, $3) }
  }

  /// The number of a group; nil when there is no such group.
  package static func group(named name: String) throws(LinuxError) -> UInt32? {
    var entry = unsafe Glibc.group()
    return unsafe try lookUp("getgrnam_r") { buffer, size in
      var found: UnsafeMutablePointer<Glibc.group>? = nil
      let code = unsafe getgrnam_r(name, &entry, buffer, size, &found)
      return (code, unsafe found.map { unsafe $0.pointee.gr_gid })
    }
  }

  /// The groups of the user, and this one.
  package static func initializeGroups(of user: String, and gid: UInt32) throws(LinuxError) {
    let result = unsafe mediator_initgroups(user, gid)
    guard result >= 0 else { throw LinuxError("initgroups", -result) }
  }

  package static func setGroup(_ gid: UInt32) throws(LinuxError) {
    guard setgid(gid) == 0 else { throw LinuxError("setgid", errno) }
  }

  package static func setUser(_ uid: UInt32) throws(LinuxError) {
    guard setuid(uid) == 0 else { throw LinuxError("setuid", errno) }
  }

  /// Becomes another program; returns only to say why not.
  package static func execute(
    _ executable: String, arguments: [String], environment: [String]
  ) throws(LinuxError) -> Never {
    guard !executable.utf8.contains(0) else { throw LinuxError("execve", EINVAL) }
    let code = unsafe try CStrings.with(arguments, call: "execve") { arguments throws(LinuxError) in
      unsafe try CStrings.with(environment, call: "execve") { environment throws(LinuxError) in
        _ = unsafe execve(executable, arguments, environment)
        return errno
      }
    }
    throw LinuxError("execve", code)
  }
}

extension Credentials {
  private typealias UserCall = (
    UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
    UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
  ) -> Int32

  private static func user(_ name: String, _ call: UserCall) throws(LinuxError) -> User? {
    var entry = unsafe passwd()
    return unsafe try lookUp(name) { buffer, size in
      var found: UnsafeMutablePointer<passwd>? = nil
      let code = unsafe call(&entry, buffer, size, &found)
      return (code, unsafe found.map { unsafe User($0.pointee) })
    }
  }

  /// Repeats the call with more room while it says ERANGE.
  private static func lookUp<Found>(
    _ name: String, _ call: (UnsafeMutablePointer<CChar>, Int) -> (Int32, Found?)
  ) throws(LinuxError) -> Found? {
    var size = 1024
    while true {
      let (code, found) = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
        unsafe call(buffer.baseAddress!, size)
      }
      switch code {
      case 0: return found
      case EINTR: continue
      case ERANGE where size < 1 << 20: size *= 4
      // Not all name services agree on how to say "no such name": getpwnam(3).
      case ENOENT, ESRCH, EBADF, EPERM: return nil
      default: throw LinuxError(name, code)
      }
    }
  }
}

extension Credentials.User {
  fileprivate init(_ entry: passwd) {
    unsafe self.init(
      name: unsafe String(cString: entry.pw_name), uid: entry.pw_uid, gid: entry.pw_gid,
      home: unsafe String(cString: entry.pw_dir), shell: unsafe String(cString: entry.pw_shell))
  }
}
