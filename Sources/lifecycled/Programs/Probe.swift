internal import MediatorBridge
internal import MediatorLinux

/// A check of a program that can be looked at from outside, again and again.
///
/// The other checks are told by the program itself, or by the clock.
enum Probe: Sendable, Equatable {
  /// Runs a command; nil when it exits 0, else what it came to. Ends the command when its task is cancelled.
  typealias Run = @Sendable (HookCommand) async -> String?

  case exec(HookCommand)
  case tcp(host: String, port: UInt16)
  case unix(path: String)
  case http(host: String, port: UInt16, path: String)
  case file(path: String)

  /// nil for what cannot be looked at.
  init?(_ check: ProgramCheck) {
    switch check {
    case .exec(let command): self = .exec(command)
    case .tcp(let host, let port): self = .tcp(host: host, port: port)
    case .unix(let path): self = .unix(path: path)
    case .http(let host, let port, let path): self = .http(host: host, port: port, path: path)
    case .file(let path): self = .file(path: path)
    case .notify, .log, .descriptor, .delay: return nil
    }
  }

  /// One look: nil when the check holds, else why not.
  ///
  /// - Parameters:
  ///   - limit: how long each address may take; the limit of a command is `run`'s own.
  ///   - run: for `.exec`.
  func reasonAgainst(within limit: Duration = .seconds(1), run: Run) async -> String? {
    switch self {
    case .exec(let command): return await run(command)
    case .tcp(let host, let port):
      let look = TCPLook(host: host, port: port, limit: limit)
      return await Self.blocking { look.reasonAgainst()?.description }
    case .http(let host, let port, let path):
      let probe = HTTPProbe(host: host, port: port, path: path, limit: limit)
      return await Self.blocking { probe.reasonAgainst() }
    case .unix(let path):
      return await Self.system { () throws(LinuxError) in try UnixProbe.connect(to: path, within: limit) }
    case .file(let path):
      return await Self.system { () throws(LinuxError) in try SmallFile.look(at: path) }
    }
  }

  private static func blocking(_ look: @escaping @Sendable () -> String?) async -> String? {
    do throws(LinuxError) {
      return try await BlockingCall.run("probe", look)
    } catch {
      return "cannot look: \(error)"
    }
  }

  private static func system(_ call: @escaping @Sendable () throws(LinuxError) -> Void) async -> String? {
    await blocking {
      do throws(LinuxError) {
        try call()
        return nil
      } catch {
        return LinuxError.text(error.code)
      }
    }
  }
}
