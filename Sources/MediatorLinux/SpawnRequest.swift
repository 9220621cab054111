/// What to run, and where its output goes.
package struct SpawnRequest: Sendable {
  /// Where standard output and standard error go, both together.
  package enum Output: Hashable, Sendable {
    /// To us, in pieces as they come.
    case pipe
    case null
    /// Where ours go.
    case inherit
  }

  /// A path; there is no search in `$PATH`.
  package var executable: String
  /// With `argv[0]`.
  package var arguments: [String]
  /// Each `NAME=value`; nothing of our own environment is added.
  package var environment: [String]
  package var workingDirectory: String?
  package var output: Output

  package init(
    executable: String, arguments: [String], environment: [String] = [], workingDirectory: String? = nil,
    output: Output = .pipe
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.workingDirectory = workingDirectory
    self.output = output
  }
}
