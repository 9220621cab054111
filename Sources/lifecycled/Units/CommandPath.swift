/// Where a program that is given by name alone is looked for: systemd's fixed default, never `$PATH`.
///
/// systemd.service(5) resolves a bare name in a search path fixed at compile time; Debian's systemd 252 has these
/// folders.
enum CommandPath {
  static let folders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]

  /// The paths to try, in order; an absolute path is its own only candidate.
  static func candidates(for program: String) -> [String] {
    program.hasPrefix("/") ? [program] : folders.map { "\($0)/\(program)" }
  }
}
