/// One command of a hook or program: what to run, and whether its failure counts.
struct HookCommand: Sendable, Equatable {
  /// Who wrote it, which says how the program is found and whether the arguments are final.
  enum Origin: Sendable, Equatable {
    /// A file: an absolute path, or a bare name to be looked up with `CommandPath`; variables in arguments are not
    /// expanded yet (`VariableExpansion`).
    case configured
    /// Somebody at a shell: the program stands as it was typed, a path that may be relative or a bare name to be looked
    /// up in `$PATH`; the arguments are final, since the shell has expanded what it was to expand.
    case typed
  }

  /// What `CommandPath` finds.
  var program: String
  /// Without the program.
  var arguments: [String]
  /// The command was written with a leading `-`.
  var ignoresFailure: Bool
  var origin = Origin.configured

  struct Problem: Error, Equatable {
    var what: String
    var advice: String?
  }

  /// Makes a command of the words that `CommandSplitter` gave, with specifiers already expanded.
  init(words: [String]) throws(Problem) {
    var first = words[0][...]
    ignoresFailure = first.utf8.first == UInt8(ascii: "-")
    if ignoresFailure { first = first.dropFirst() }
    if let prefix = first.first, "@:+!|-".contains(prefix) {
      throw Problem(
        what: "the prefix \(prefix) of systemd is not supported before \(words[0].quoted)", advice: "only - is")
    }
    program = String(first)
    arguments = Array(words.dropFirst())
    try Self.checkProgram(program)
    if program.hasPrefix("$") {
      throw Problem(what: "the program \(program.quoted) is a variable", advice: "variables work in arguments only")
    }
    if program.contains("/"), !program.hasPrefix("/") {
      throw Problem(
        what: "the program \(program.quoted) is a relative path",
        advice: "write an absolute path, or a name to look up in \(CommandPath.folders.joined(separator: ":"))")
    }
    try Self.checkWords(words)
  }

  /// Makes a command of the words of a command line, the program first; there is at least one.
  init(typed words: [String]) throws(Problem) {
    self.init(program: words[0], arguments: Array(words.dropFirst()), origin: .typed)
    try Self.checkProgram(program)
    try Self.checkWords(words)
  }

  /// Makes a command that nobody checks.
  init(program: String, arguments: [String] = [], ignoresFailure: Bool = false, origin: Origin = .configured) {
    self.program = program
    self.arguments = arguments
    self.ignoresFailure = ignoresFailure
    self.origin = origin
  }

  private static func checkProgram(_ program: String) throws(Problem) {
    if program.isEmpty { throw Problem(what: "there is no program to run") }
    if program.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw Problem(what: "the program \(program.quoted) has control characters in its name")
    }
    if program.hasSuffix("/") || program == "." || program == ".." {
      throw Problem(what: "the program \(program.quoted) is a folder")
    }
  }

  private static func checkWords(_ words: [String]) throws(Problem) {
    for word in words where word.utf8.contains(0) { throw Problem(what: "a NUL stands in \(word.quoted)") }
  }
}
