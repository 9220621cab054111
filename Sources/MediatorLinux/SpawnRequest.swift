/// What to run, and where its output goes.
package struct SpawnRequest: Sendable {
  /// Where standard output and standard error go, both together.
  package enum Output: Hashable, Sendable {
    /// To us, in pieces as they come.
    case pipe
    /// The same, but its end comes only after the process's: one that ends need not be looked at twice.
    case pipeHeldOpen
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
  /// Descriptors of ours by the numbers that the child gets them under: 3 to 1023.
  ///
  /// Ours stay as they are, closed on exec or not. They need not keep clear of the numbers on the left.
  package var descriptors: [Int32: Int32]

  package init(
    executable: String, arguments: [String], environment: [String] = [], workingDirectory: String? = nil,
    output: Output = .pipe, descriptors: [Int32: Int32] = [:]
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.workingDirectory = workingDirectory
    self.output = output
    self.descriptors = descriptors
  }
}
