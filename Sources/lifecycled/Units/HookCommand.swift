/// One command of a hook: what to run, and whether its failure counts.
struct HookCommand: Sendable, Equatable {
  /// An absolute path, or a bare name to be looked up with `CommandPath`.
  var program: String
  /// Without the program; variables are not expanded yet (`VariableExpansion`).
  var arguments: [String]
  /// The command was written with a leading `-`.
  var ignoresFailure: Bool

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
    for word in words where word.utf8.contains(0) { throw Problem(what: "a NUL stands in \(word.quoted)") }
  }

  private static func checkProgram(_ program: String) throws(Problem) {
    if program.isEmpty { throw Problem(what: "there is no program to run") }
    if program.hasPrefix("$") {
      throw Problem(what: "the program \(program.quoted) is a variable", advice: "variables work in arguments only")
    }
    if program.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw Problem(what: "the program \(program.quoted) has control characters in its name")
    }
    if program.hasSuffix("/") || program == "." || program == ".." {
      throw Problem(what: "the program \(program.quoted) is a folder")
    }
    if program.contains("/"), !program.hasPrefix("/") {
      throw Problem(
        what: "the program \(program.quoted) is a relative path",
        advice: "write an absolute path, or a name to look up in \(CommandPath.folders.joined(separator: ":"))")
    }
  }
}
