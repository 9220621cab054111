internal import Glibc
internal import MediatorLinux

/// `lifecycled @exec`: becomes another user, and then the program; so no Swift code runs between fork and exec.
///
/// On success it never returns. On failure it reports one line on standard error, and exits as systemd.exec(5) does.
struct ExecVerb: Equatable, Sendable {
  static let name = "@exec"

  /// What went wrong before the program ran, for the lifecycled that waits.
  struct Problem: Error, Equatable {
    /// 200 directory, 203 program, 216 group, 217 user, 219 control group.
    var exitStatus: Int32
    var errno: Int32
    var message: String

    private static let mark = "lifecycled @exec: "

    init(_ exitStatus: Int32, errno: Int32, _ message: String) {
      self.exitStatus = exitStatus
      self.errno = errno
      self.message = message
    }

    /// Reads what `line` wrote; nil for anything else.
    init?(line: [UInt8]) {
      guard line.starts(with: Self.mark.utf8) else { return nil }
      let parts = String(decoding: line.dropFirst(Self.mark.utf8.count), as: UTF8.self)
        .split(separator: " ", maxSplits: 2).map(String.init)
      guard parts.count == 3, let status = Int32(parts[0]), let code = Int32(parts[1]) else { return nil }
      self.init(status, errno: code, parts[2])
    }

    var line: String { "\(Self.mark)\(exitStatus) \(errno) \(Escaped.text(message))" }
  }

  var user: String?
  var group: String?
  var directory: String?
  var program: String
  /// Variables in them are not expanded yet: their values depend on the user.
  var programArguments: [String]
  /// The folder of a control group (v2) to move to, before anything else.
  var controlGroup: String?
  /// Whose number `LISTEN_PID` and `WATCHDOG_PID` are to tell: the program's, known only here.
  var tellsListenPID = false
  var tellsWatchdogPID = false
  /// A descriptor that tells how it went: closed when the program runs, a line end before if it does not.
  var outcome: Int32?

  init(
    program: String, arguments: [String], user: String? = nil, group: String? = nil, directory: String? = nil
  ) {
    (self.user, self.group, self.directory, self.program) = (user, group, directory, program)
    programArguments = arguments
  }

  init(_ command: HookCommand, of hook: HookDefinition) {
    user = hook.user
    group = hook.group
    directory = hook.workingDirectory
    program = command.program
    programArguments = command.arguments
  }

  /// nil for what lifecycled itself never writes.
  init?(arguments: [String]) {
    self.init(program: "", arguments: [])
    var rest = arguments[...]
    while let option = rest.first, option.hasPrefix("--") {
      rest = rest.dropFirst()
      if option == Option.end { break }
      guard takeOption(option) else { return nil }
    }
    let words = Array(rest)
    guard words.count >= 4, !words[3].isEmpty else { return nil }
    func text(_ index: Int) -> String? { words[index].isEmpty ? nil : words[index] }
    (user, group, directory, program) = (text(0), text(1), text(2), words[3])
    programArguments = Array(words.dropFirst(4))
  }

  /// The command line that `init(arguments:)` reads, after the program's own name.
  var arguments: [String] {
    [Self.name] + options + [user ?? "", group ?? "", directory ?? "", program] + programArguments
  }

  /// Returns only to say why not.
  func run(environment: [String: String]) -> Int32 {
    do throws(Problem) {
      var environment = environment
      if let outcome { _ = fcntl(outcome, F_SETFD, FD_CLOEXEC) }
      if let controlGroup { try enter(controlGroup) }
      try becomeUser(&environment)
      if let directory, unsafe chdir(directory) < 0 {
        throw Problem(200, errno: errno, "cannot enter \(directory): \(LinuxError.text(errno))")
      }
      if tellsListenPID { environment["LISTEN_PID"] = "\(getpid())" }
      if tellsWatchdogPID { environment["WATCHDOG_PID"] = "\(getpid())" }
      try execute(environment)
    } catch {
      StandardStream.errors.write([error.line])
      if let outcome { _ = unsafe write(outcome, "\n", 1) }
      return error.exitStatus
    }
  }

  private func enter(_ controlGroup: String) throws(Problem) {
    do {
      try ControlGroup(path: controlGroup).add(getpid())
    } catch {
      throw Problem(219, errno: error.code, "cannot enter \(controlGroup): \(LinuxError.text(error.code))")
    }
  }

  private func becomeUser(_ environment: inout [String: String]) throws(Problem) {
    let user = try self.user.map { name throws(Problem) in try Self.find(user: name) }
    var gid = user?.gid
    if let group { gid = try Self.find(group: group) }
    if let user {
      let standard = ["HOME": user.home, "USER": user.name, "LOGNAME": user.name, "SHELL": user.shell]
      // What Environment= says of these goes before.
      environment.merge(standard.filter { !$0.value.isEmpty }) { written, _ in written }
    }
    guard user.map({ $0.uid != geteuid() }) ?? false || gid.map({ $0 != getegid() }) ?? false else { return }
    do {
      if let user, let gid { try Credentials.initializeGroups(of: user.name, and: gid) }
      if let gid { try Credentials.setGroup(gid) }
    } catch {
      throw Problem(216, errno: error.code, "cannot become group \(gid ?? 0): \(LinuxError.text(error.code))")
    }
    do {
      if let user { try Credentials.setUser(user.uid) }
    } catch {
      throw Problem(217, errno: error.code, "cannot become user \(user?.name ?? ""): \(LinuxError.text(error.code))")
    }
  }

  private func execute(_ environment: [String: String]) throws(Problem) -> Never {
    let words = VariableExpansion.expand(programArguments, environment: environment)
    let variables = environment.map { "\($0.key)=\($0.value)" }
    var code = ENOENT
    for path in CommandPath.candidates(for: program) {
      do {
        try Credentials.execute(path, arguments: [path] + words, environment: variables)
      } catch {
        if error.code != ENOENT { code = error.code }
      }
    }
    throw Problem(203, errno: code, "cannot run \(program): \(LinuxError.text(code))")
  }
}

extension ExecVerb {
  /// They stand before the rest, so that the plain command line is what it would be without them.
  private enum Option {
    static let controlGroup = "--cgroup="
    static let listenPID = "--listen-pid"
    static let watchdogPID = "--watchdog-pid"
    static let outcome = "--outcome="
    static let end = "--"
  }

  private var options: [String] {
    var options: [String] = []
    if let controlGroup { options.append(Option.controlGroup + controlGroup) }
    if tellsListenPID { options.append(Option.listenPID) }
    if tellsWatchdogPID { options.append(Option.watchdogPID) }
    if let outcome { options.append("\(Option.outcome)\(outcome)") }
    // Or a user of such a name would be taken for one.
    if user?.hasPrefix("--") ?? false { options.append(Option.end) }
    return options
  }

  private mutating func takeOption(_ option: String) -> Bool {
    switch option {
    case Option.listenPID: tellsListenPID = true
    case Option.watchdogPID: tellsWatchdogPID = true
    default:
      if option.hasPrefix(Option.outcome) {
        outcome = Int32(option.dropFirst(Option.outcome.count))
        return outcome != nil
      }
      guard option.hasPrefix(Option.controlGroup) else { return false }
      controlGroup = String(option.dropFirst(Option.controlGroup.count))
      return controlGroup != ""
    }
    return true
  }

  private struct Identity {
    var name: String
    var uid: UInt32
    var gid: UInt32
    var home = ""
    var shell = ""

    init(_ user: Credentials.User) {
      (name, uid, gid, home, shell) = (user.name, user.uid, user.gid, user.home, user.shell)
    }

    /// A number that belongs to nobody: the group of the same number, or root's would stay.
    init(unknown number: UInt32) { (name, uid, gid) = ("\(number)", number, number) }
  }

  /// nil when there is no such user.
  static func number(of user: String) -> UInt32? { try? find(user: user).uid }

  /// A name, or a number that need not belong to anybody.
  private static func find(user text: String) throws(Problem) -> Identity {
    do {
      if let number = UInt32(text) {
        return try Credentials.user(numbered: number).map(Identity.init) ?? Identity(unknown: number)
      }
      if let user = try Credentials.user(named: text) { return Identity(user) }
    } catch {
      throw Problem(217, errno: error.code, "cannot look up user \(text): \(LinuxError.text(error.code))")
    }
    throw Problem(217, errno: ESRCH, "there is no user \(text)")
  }

  private static func find(group text: String) throws(Problem) -> UInt32 {
    if let number = UInt32(text) { return number }
    do {
      if let gid = try Credentials.group(named: text) { return gid }
    } catch {
      throw Problem(216, errno: error.code, "cannot look up group \(text): \(LinuxError.text(error.code))")
    }
    throw Problem(216, errno: ESRCH, "there is no group \(text)")
  }
}
