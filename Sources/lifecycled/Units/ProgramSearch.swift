internal import Glibc
internal import MediatorLinux

/// The search for a program in the places where it may lie: which failure ends it, and what to say when all have failed.
struct ProgramSearch {
  struct Problem {
    var message: String
    var errno: Int32
  }

  private let program: String
  private let directory: String?
  /// That of the last place where there was something.
  private var code = ENOENT

  init(for program: String, in directory: String?) {
    self.program = program
    self.directory = directory
  }

  /// nil when the next place is to be tried: only a program that is not there is looked for elsewhere, since one that
  /// has begun must not run twice.
  mutating func problem(of error: LinuxError, at path: String) -> Problem? {
    if error.call == "chdir" {
      return Problem(message: "cannot enter \(directory ?? ""): \(LinuxError.text(error.code))", errno: error.code)
    }
    guard error.call == "posix_spawn", [ENOENT, ENOTDIR, EACCES].contains(error.code) else {
      return Problem(message: "cannot run \(path): \(LinuxError.text(error.code))", errno: error.code)
    }
    if error.code != ENOENT { code = error.code }
    return nil
  }

  var notFound: Problem { Problem(message: "cannot run \(program): \(LinuxError.text(code))", errno: code) }
}
