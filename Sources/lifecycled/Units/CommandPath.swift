internal import Foundation

/// Where a program that is given by name alone is looked for.
///
/// In a file: systemd's fixed default, never `$PATH`. systemd.service(5) resolves a bare name in a search path fixed at
/// compile time; Debian's systemd 252 has these folders. On a command line: `$PATH`, as every shell.
enum CommandPath {
  static let folders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]

  /// The paths to try, in order; an absolute path is its own only candidate.
  static func candidates(for program: String) -> [String] {
    program.hasPrefix("/") ? [program] : folders.map { "\($0)/\(program)" }
  }

  /// Where a typed program lies; as it was typed if it is nowhere, so that whoever runs it says so.
  static func absolute(_ command: HookCommand) -> String {
    let candidates = candidates(for: command, searchPath: ProcessInfo.processInfo.environment["PATH"])
    let found = candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? command.program
    guard found.contains("/"), !found.hasPrefix("/") else { return found }
    return "\(FileManager.default.currentDirectoryPath)/\(found)"
  }

  /// The same for a command of either origin.
  ///
  /// - Parameter searchPath: `$PATH`; an empty part of it is the working directory, as in POSIX.
  static func candidates(for command: HookCommand, searchPath: String?) -> [String] {
    switch command.origin {
    case .configured: return candidates(for: command.program)
    case .typed:
      if command.program.contains("/") { return [command.program] }
      guard let searchPath, !searchPath.isEmpty else { return candidates(for: command.program) }
      return searchPath.split(separator: ":", omittingEmptySubsequences: false).map { folder in
        "\(folder.isEmpty ? "." : folder)/\(command.program)"
      }
    }
  }
}
